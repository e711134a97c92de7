-- q5, hot items: the auctions with the most bids in the last ten seconds, every two seconds.
--
-- hop(dateTime, '2s', '10s') becomes WINDOW HOPPING(10s, 2s). The count is written once and used twice. Final rows of a window have its
-- last millisecond as their time, so a window of two seconds over them holds the rows of one hopping window: their maximum is
-- final, too, and meets the counts of the same window WITHIN no time at all.
CREATE STREAM q5 AS
  WITH counts AS (
    SELECT auction, COUNT(*) AS num, window_start AS st, window_end AS et
    FROM bid
    WINDOW HOPPING(10s, 2s)
    GROUP BY auction EMIT FINAL
  ), most AS (
    SELECT st, et, MAX(num) AS maxn
    FROM counts
    WINDOW TUMBLING(2s)
    GROUP BY st, et EMIT FINAL
  )
  SELECT ab.auction, ab.num, ab.et
  FROM counts ab JOIN most mb WITHIN 0s ON ab.st = mb.st AND ab.et = mb.et AND ab.num >= mb.maxn;
