WITH won AS (
  SELECT id, seller, price, ts, part, off FROM (
    SELECT a.id, a.seller, b.price, b.ts, b.part, b.off, ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, b.ts, b.part, b.off) AS n
    FROM auction a JOIN bid b ON b.auction = a.id AND b.dateTime BETWEEN a.dateTime AND a.expires
  ) WHERE n = 1
), last AS (
  SELECT id, seller, SUM(price) OVER eleven AS s, COUNT(*) OVER eleven AS n FROM won
  WINDOW eleven AS (PARTITION BY seller ORDER BY ts, part, off ROWS BETWEEN 10 PRECEDING AND CURRENT ROW)
)
SELECT id, seller, printf('%d.%04d', (20000 * s + n) / (2 * n) / 10000, (20000 * s + n) / (2 * n) % 10000) FROM last;
