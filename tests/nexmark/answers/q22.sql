-- Every url is https://www.nexmark.com/ and three directories of five letters.
SELECT auction, bidder, price, channel, substr(url, 25, 5), substr(url, 31, 5) FROM bid;
