-- q9, winning bids: the highest valid bid of each auction, of equal ones the first.
--
-- The comma join becomes a join with the table, as in q4; the ROW_NUMBER of a sub-query becomes QUALIFY.
CREATE TABLE q9 AS
  SELECT a.id, a.itemName, b.auction, b.bidder, b.price, b.dateTime AS bid_dateTime
  FROM bid b JOIN auctions a ON b.auction = a.id
  WHERE b.dateTime BETWEEN a.dateTime AND a.expires
  QUALIFY ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.dateTime ASC) <= 1;
