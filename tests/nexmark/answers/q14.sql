SELECT auction, bidder, printf('%d.%03d', price * 908 / 1000, price * 908 % 1000),
  CASE
    WHEN substr(dateTime, 12, 2) BETWEEN '08' AND '18' THEN 'dayTime'
    WHEN substr(dateTime, 12, 2) <= '06' OR substr(dateTime, 12, 2) >= '20' THEN 'nightTime'
    ELSE 'otherTime'
  END,
  dateTime, extra, length(extra) - length(replace(extra, 'c', ''))
FROM bid WHERE price * 908 > 1000000000 AND price * 908 < 50000000000;
