-- q17, auction statistics: prices of each auction and day. The aggregates get names, since rows are written as JSON.
CREATE TABLE q17 AS
  SELECT auction, DATE_FORMAT(dateTime, '%Y-%m-%d') AS day,
    COUNT(*) AS total_bids,
    COUNT(CASE WHEN price < 10000 THEN 1 END) AS rank1_bids,
    MIN(price) AS min_price, MAX(price) AS max_price, AVG(price) AS avg_price, SUM(price) AS sum_price
  FROM bid
  GROUP BY auction, DATE_FORMAT(dateTime, '%Y-%m-%d');
