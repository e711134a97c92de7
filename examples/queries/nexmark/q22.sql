-- q22, get URL directories.
CREATE STREAM q22 AS
  SELECT auction, bidder, price, channel,
    SUBSTRING_INDEX(SUBSTRING_INDEX(url, '/', 4), '/', -1) AS dir1,
    SUBSTRING_INDEX(SUBSTRING_INDEX(url, '/', 5), '/', -1) AS dir2
  FROM bid;
