-- A session begins with a bid that comes more than ten seconds after the bidder's last one.
WITH gaps AS (
  SELECT bidder, ts, ts - LAG(ts) OVER (PARTITION BY bidder ORDER BY ts) > 10000 AS opens FROM bid
), numbered AS (
  SELECT bidder, ts, SUM(COALESCE(opens, 1)) OVER (PARTITION BY bidder ORDER BY ts) AS session FROM gaps
), sessions AS (
  SELECT bidder, COUNT(*) AS n, MIN(ts) AS st, MAX(ts) + 10000 AS et FROM numbered GROUP BY bidder, session
)
SELECT bidder, n, strftime('%Y-%m-%d %H:%M:%S', st / 1000, 'unixepoch') || printf('.%03d', st % 1000),
  strftime('%Y-%m-%d %H:%M:%S', et / 1000, 'unixepoch') || printf('.%03d', et % 1000)
FROM sessions;
