-- q7, highest bid: the bids with the highest price of each ten seconds.
--
-- tumble(dateTime, '10s') becomes WINDOW TUMBLING(10s); the maximum of a window is final when it closes. Its row has the window's last
-- millisecond as its time, so it comes at most ten seconds after a bid of the window and a millisecond before one at its end: the
-- original's BETWEEN takes that one, too. WITHIN says so, which bounds what is kept.
CREATE STREAM q7 AS
  SELECT b.auction, b.price, b.bidder, b.dateTime, b.extra
  FROM bid b
  JOIN (
    SELECT MAX(price) AS maxprice, window_end AS et
    FROM bid
    WINDOW TUMBLING(10s) EMIT FINAL
  ) m WITHIN (1ms, 10s)
  ON b.price = m.maxprice AND b.dateTime BETWEEN m.et - INTERVAL 10 SECOND AND m.et;
