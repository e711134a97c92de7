-- q2, selection: the bids on some auctions.
CREATE STREAM q2 AS
  SELECT auction, price
  FROM bid
  WHERE MOD(auction, 123) = 0;
