-- How far can a model be trusted as a judge? Its latest calibration against answers whose truth code knows.
select
    model, items, round(agreement, 3) as agreement, floor, yes_yes, yes_no, no_yes, no_no, refused, accepted
from judge_calibrations
qualify row_number() over (partition by model order by created_at desc, id desc) = 1
order by model;
