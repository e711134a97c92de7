-- q15, bidding statistics: bids, bidders and auctions of each day. Groups without a window are kept for ever; EXPLAIN says so.
CREATE TABLE q15 AS
  SELECT DATE_FORMAT(dateTime, '%Y-%m-%d') AS day,
    COUNT(*) AS total_bids,
    COUNT(IF(price < 10000, 1, NULL)) AS rank1_bids,
    COUNT(DISTINCT bidder) AS total_bidders,
    COUNT(DISTINCT IF(price < 10000, bidder, NULL)) AS rank1_bidders,
    COUNT(DISTINCT auction) AS total_auctions
  FROM bid
  GROUP BY DATE_FORMAT(dateTime, '%Y-%m-%d');
