-- q11, user sessions: how many bids a bidder made until there was none for ten seconds.
--
-- session_window(dateTime, '10s') becomes WINDOW SESSION(10s).
CREATE STREAM q11 AS
  SELECT bidder, COUNT(*) AS bid_count, window_start, window_end
  FROM bid
  WINDOW SESSION(10s)
  GROUP BY bidder EMIT FINAL;
