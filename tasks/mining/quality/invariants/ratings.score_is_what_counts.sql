-- Which scores are not the number and stars of the ratings that are not hidden?
-- severity: critical
-- table: scores
SELECT score.{host_key} AS row_key,
  score.rating_count || ' ratings, ' || score.star_total || ' stars; found ' || COUNT(rating.rating_id) AS detail
FROM {scores} AS score
LEFT JOIN {ratings} AS rating ON rating.{host_key} = score.{host_key} AND rating.status <> 'hidden'
GROUP BY score.{host_key}
HAVING score.rating_count <> COUNT(rating.rating_id) OR score.star_total <> COALESCE(SUM(rating.stars), 0)
ORDER BY score.{host_key}
