-- q6, average selling price by seller: of the last eleven auctions' highest valid bids.
--
-- The comma join becomes a join with the table, as in q4; the ROW_NUMBER of a sub-query becomes QUALIFY. The auction's id is selected, too:
-- the result is a table, and the id is its key.
CREATE TABLE q6 AS
  SELECT q.id, q.seller,
    AVG(q.price) OVER (PARTITION BY q.seller ORDER BY q.dateTime ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS price
  FROM (
    SELECT a.id, a.seller, b.price, b.dateTime
    FROM bid b JOIN auctions a ON b.auction = a.id
    WHERE b.dateTime BETWEEN a.dateTime AND a.expires
    QUALIFY ROW_NUMBER() OVER (PARTITION BY a.id, a.seller ORDER BY b.price DESC) <= 1
  ) q;
