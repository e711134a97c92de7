-- A bid is in five windows of ten seconds, which begin at even seconds.
WITH counts AS (
  SELECT auction, ts / 2000 * 2000 - 2000 * k.column1 + 10000 AS et, COUNT(*) AS num
  FROM bid, (VALUES (0), (1), (2), (3), (4)) k
  GROUP BY 1, 2
)
SELECT c.auction, c.num, strftime('%Y-%m-%d %H:%M:%S.000', c.et / 1000, 'unixepoch')
FROM counts c
WHERE c.num = (SELECT MAX(num) FROM counts x WHERE x.et = c.et);
