-- q0, pass through: what reading, decoding, encoding and writing cost.
CREATE STREAM q0 AS
  SELECT auction, bidder, price, dateTime, extra
  FROM bid;
