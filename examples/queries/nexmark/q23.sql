-- q23, two joins: the bids of those who sell something themselves, with their name and what they sell.
--
-- The bidder is what it was when it bid: a table. The original keeps every bid and every auction for ever, in case its partner should
-- still come; here an auction counts that begins at most ten seconds before or after the bid.
CREATE STREAM q23 AS
  SELECT b.bidder, b.price, p.id, p.name, a.itemName
  FROM bid b
  JOIN people p ON p.id = b.bidder
  JOIN auction a WITHIN 10s ON a.seller = b.bidder;
