SELECT auction, bidder, price, channel, url, dateTime, extra FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY ts DESC, part, off) AS n FROM bid
) WHERE n = 1;
