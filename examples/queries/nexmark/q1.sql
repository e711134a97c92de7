-- q1, currency conversion: prices in euros. 0.908 is an exact DECIMAL, and so is the product.
CREATE STREAM q1 AS
  SELECT auction, bidder, 0.908 * price AS price, dateTime, extra
  FROM bid;
