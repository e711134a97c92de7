-- q10, log to files: the bids with the day and the minute that a file is named after. The two get names, since rows are written as JSON.
CREATE STREAM q10 AS
  SELECT auction, bidder, price, dateTime, extra, DATE_FORMAT(dateTime, '%Y-%m-%d') AS day, DATE_FORMAT(dateTime, '%H:%i') AS minute
  FROM bid;
