-- q16, channel statistics: the same by channel.
CREATE TABLE q16 AS
  SELECT channel, DATE_FORMAT(dateTime, '%Y-%m-%d') AS day,
    MAX(DATE_FORMAT(dateTime, '%H:%i')) AS minute,
    COUNT(*) AS total_bids,
    COUNT(DISTINCT IF(price >= 1000000, auction, NULL)) AS rank3_auctions
  FROM bid
  GROUP BY channel, DATE_FORMAT(dateTime, '%Y-%m-%d');
