SELECT id, itemName, auction, bidder, price, dateTime FROM (
  SELECT a.id, a.itemName, b.auction, b.bidder, b.price, b.dateTime, ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.ts, b.part, b.off) AS n
  FROM auction a JOIN bid b ON b.auction = a.id AND b.dateTime BETWEEN a.dateTime AND a.expires
) WHERE n = 1;
