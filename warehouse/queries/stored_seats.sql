-- Which families have a role, and by which class were they drawn?
select family, role, level1 from family_roles order by family;
