SELECT b.auction, b.bidder, b.price, b.dateTime, s.value FROM bid b JOIN side s ON s.key = b.auction % 10000;
