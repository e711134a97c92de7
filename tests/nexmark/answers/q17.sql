-- An AVG of integers has four more digits and is rounded half up.
SELECT auction, substr(dateTime, 1, 10), COUNT(*), SUM(price < 10000), MIN(price), MAX(price),
  printf('%d.%04d', (20000 * SUM(price) + COUNT(*)) / (2 * COUNT(*)) / 10000, (20000 * SUM(price) + COUNT(*)) / (2 * COUNT(*)) % 10000), SUM(price)
FROM bid GROUP BY 1, 2;
