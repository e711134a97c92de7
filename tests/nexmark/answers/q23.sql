SELECT b.bidder, b.price, p.id, p.name, a.itemName
FROM bid b JOIN person p ON p.id = b.bidder AND p.ts <= b.ts JOIN auction a ON a.seller = b.bidder AND a.ts BETWEEN b.ts - 10000 AND b.ts + 10000;
