-- q18, last bid: of each bidder on each auction.
--
-- The ROW_NUMBER of a sub-query becomes QUALIFY.
CREATE TABLE q18 AS
  SELECT auction, bidder, price, channel, url, dateTime, extra
  FROM bid
  QUALIFY ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY dateTime DESC) <= 1;
