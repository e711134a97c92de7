SELECT b.auction, b.bidder, b.price, b.channel, b.url, b.dateTime, b.extra,
  a.itemName, a.description, a.initialBid, a.reserve, a.dateTime, a.expires, a.seller, a.category, a.extra
FROM bid b JOIN auction a ON a.id = b.auction AND a.ts <= b.ts
WHERE a.category = 10;
