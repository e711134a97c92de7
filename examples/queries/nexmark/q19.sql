-- q19, the ten highest bids on each auction.
--
-- The ROW_NUMBER of a sub-query becomes QUALIFY over the alias.
CREATE TABLE q19 AS
  SELECT auction, bidder, price, channel, url, dateTime, extra,
    ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number
  FROM bid
  QUALIFY rank_number <= 10;
