WITH highest AS (SELECT ts / 10000 * 10000 AS st, MAX(price) AS price FROM bid GROUP BY 1)
SELECT b.auction, b.price, b.bidder, b.dateTime, b.extra
FROM bid b JOIN highest h ON b.price = h.price AND b.ts BETWEEN h.st AND h.st + 10000;
