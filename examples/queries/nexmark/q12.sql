-- q12, processing time windows: how many bids of a bidder arrive in ten seconds.
--
-- There is no clock in a query whose answer may not depend on when it runs. The time of arrival is the record's timestamp, which the
-- broker writes (see arriving_bid), so tumble(proctime(), '10s') becomes a window over that.
CREATE STREAM q12 AS
  SELECT bidder, COUNT(*) AS bid_count, window_start, window_end
  FROM arriving_bid
  WINDOW TUMBLING(10s)
  GROUP BY bidder EMIT FINAL;
