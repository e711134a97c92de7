SELECT auction, bidder, printf('%d.%03d', price * 908 / 1000, price * 908 % 1000), dateTime, extra FROM bid;
