-- q20, expand bids: the bids on auctions of a category, with the auction.
--
-- A bid meets its auction as it was when the bid was made, so the auctions are a table; columns of the same name get others.
CREATE STREAM q20 AS
  SELECT b.auction, b.bidder, b.price, b.channel, b.url, b.dateTime, b.extra,
    a.itemName, a.description, a.initialBid, a.reserve, a.dateTime AS auction_dateTime, a.expires, a.seller, a.category, a.extra AS auction_extra
  FROM bid b JOIN auctions a ON b.auction = a.id
  WHERE a.category = 10;
