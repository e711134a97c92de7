-- q4, average price for a category: of the highest valid bid of each auction.
--
-- FROM auction A, bid B becomes a join of each bid with its auction: a bid counts from dateTime on anyway, so the table at the
-- bid's event time has the auction exactly when it does. The inner result changes when a higher bid comes; the average then takes the
-- old price back.
CREATE TABLE q4 AS
  SELECT q.category, AVG(q.final) AS final
  FROM (
    SELECT a.id, a.category, MAX(b.price) AS final
    FROM bid b JOIN auctions a ON b.auction = a.id
    WHERE b.dateTime BETWEEN a.dateTime AND a.expires
    GROUP BY a.id, a.category
  ) q
  GROUP BY q.category;
