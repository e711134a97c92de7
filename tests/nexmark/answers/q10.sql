SELECT auction, bidder, price, dateTime, extra, substr(dateTime, 1, 10), substr(dateTime, 12, 5) FROM bid;
