SELECT auction, bidder, price, channel, url, dateTime, extra, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC, ts, part, off) AS n FROM bid
) WHERE n <= 10;
