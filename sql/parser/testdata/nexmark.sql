-- The Nexmark queries. https://github.com/nexmark/nexmark
--  q0
SELECT auction, bidder, price, dateTime, extra FROM bid;
--  q1
SELECT auction, bidder, 0.908 * price AS price, dateTime, extra FROM bid;
--  q2
SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0;
--  q3
SELECT P.name, P.city, P.state, A.id FROM auction AS A INNER JOIN person AS P ON A.seller = P.id WHERE A.category = 10 AND (P.state = 'OR' OR P.state = 'ID' OR P.state = 'CA');
--  q4
SELECT Q.category, AVG(Q.final) FROM (SELECT MAX(B.price) AS final, A.category FROM auction A, bid B WHERE A.id = B.auction AND B.dateTime BETWEEN A.dateTime AND A.expires GROUP BY A.id, A.category) Q GROUP BY Q.category;
--  q5
SELECT AB.auction, AB.num FROM (SELECT auction, COUNT(*) AS num, window_start AS st, window_end AS et FROM bid GROUP BY auction, hop(dateTime, '2s', '10s')) AS AB JOIN (SELECT MAX(CB.num) AS maxn, CB.st, CB.et FROM (SELECT COUNT(*) AS num, window_start AS st, window_end AS et FROM bid GROUP BY auction, hop(dateTime, '2s', '10s')) AS CB GROUP BY CB.st, CB.et) AS MB ON AB.st = MB.st AND AB.et = MB.et AND AB.num >= MB.maxn;
--  q6
SELECT Q.seller, AVG(Q.price) OVER (PARTITION BY Q.seller ORDER BY Q.dateTime ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) FROM (SELECT * FROM (SELECT A.id, A.seller, B.price, B.dateTime, ROW_NUMBER() OVER (PARTITION BY A.id, A.seller ORDER BY B.price DESC) AS rownum FROM auction AS A, bid AS B WHERE A.id = B.auction AND B.dateTime BETWEEN A.dateTime AND A.expires) AS R WHERE rownum <= 1) AS Q;
--  q7
SELECT B.auction, B.price, B.bidder, B.dateTime, B.extra FROM bid B JOIN (SELECT MAX(price) AS maxprice, window_end AS et FROM bid GROUP BY tumble(dateTime, '10s')) B1 ON B.price = B1.maxprice WHERE B.dateTime BETWEEN B1.et - INTERVAL '10' SECOND AND B1.et;
--  q8
SELECT P.id, P.name, P.st FROM (SELECT id, name, window_start AS st, window_end AS et FROM person GROUP BY id, name, tumble(dateTime, '10s')) P JOIN (SELECT seller, window_start AS st, window_end AS et FROM auction GROUP BY seller, tumble(dateTime, '10s')) A ON P.id = A.seller AND P.st = A.st AND P.et = A.et;
--  q9
SELECT id, itemName, auction, bidder, price, bid_dateTime FROM (SELECT A.*, B.auction, B.bidder, B.price, B.dateTime AS bid_dateTime, ROW_NUMBER() OVER (PARTITION BY A.id ORDER BY B.price DESC, B.dateTime ASC) AS rownum FROM auction A, bid B WHERE A.id = B.auction AND B.dateTime BETWEEN A.dateTime AND A.expires) AS R WHERE rownum <= 1;
--  q10
SELECT auction, bidder, price, dateTime, extra, DATE_FORMAT(dateTime, '%Y-%m-%d'), DATE_FORMAT(dateTime, '%H:%i') FROM bid;
--  q11
SELECT bidder, COUNT(*) AS bid_count, window_start, window_end FROM bid GROUP BY bidder, session_window(dateTime, '10s');
--  q12
SELECT bidder, COUNT(*) AS bid_count, window_start, window_end FROM bid GROUP BY bidder, tumble(proctime(), '10s');
--  q13
SELECT B.auction, B.bidder, B.price, B.dateTime, S.value FROM bid B JOIN side_input AS S AS OF TIMESTAMP proctime() ON MOD(B.auction, 10000) = S.`key`;
--  q14
SELECT auction, bidder, 0.908 * price AS price, CASE WHEN HOUR(dateTime) >= 8 AND HOUR(dateTime) <= 18 THEN 'dayTime' WHEN HOUR(dateTime) <= 6 OR HOUR(dateTime) >= 20 THEN 'nightTime' ELSE 'otherTime' END AS bidTimeType, dateTime, extra, CHAR_LENGTH(extra) - CHAR_LENGTH(REPLACE(extra, 'c', '')) AS c_counts FROM bid WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
--  q15
SELECT DATE_FORMAT(dateTime, '%Y-%m-%d') AS `day`, COUNT(*) AS total_bids, COUNT(IF(price < 10000, 1, NULL)) AS rank1_bids, COUNT(DISTINCT bidder) AS total_bidders, COUNT(DISTINCT IF(price < 10000, bidder, NULL)) AS rank1_bidders, COUNT(DISTINCT auction) AS total_auctions FROM bid GROUP BY DATE_FORMAT(dateTime, '%Y-%m-%d');
--  q16
SELECT channel, DATE_FORMAT(dateTime, '%Y-%m-%d') AS `day`, MAX(DATE_FORMAT(dateTime, '%H:%i')) AS `minute`, COUNT(*) AS total_bids, COUNT(DISTINCT IF(price >= 1000000, auction, NULL)) AS rank3_auctions FROM bid GROUP BY channel, DATE_FORMAT(dateTime, '%Y-%m-%d');
--  q17
SELECT auction, DATE_FORMAT(dateTime, '%Y-%m-%d') AS `day`, COUNT(*) AS total_bids, COUNT(CASE WHEN price < 10000 THEN 1 END) AS rank1_bids, MIN(price), MAX(price), AVG(price), SUM(price) FROM bid GROUP BY auction, DATE_FORMAT(dateTime, '%Y-%m-%d');
--  q18
SELECT auction, bidder, price, channel, url, dateTime, extra FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY dateTime DESC) AS rank_number FROM bid) AS R WHERE rank_number <= 1;
--  q19
SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS rank_number FROM bid) AS R WHERE rank_number <= 10;
--  q20
SELECT auction, bidder, price, channel, url, B.dateTime, B.extra, itemName, description, initialBid, reserve, A.dateTime, expires, seller, category, A.extra FROM bid AS B INNER JOIN auction AS A ON B.auction = A.id WHERE A.category = 10;
--  q21
SELECT auction, bidder, price, channel, CASE WHEN LOWER(channel) = 'apple' THEN '0' WHEN LOWER(channel) = 'google' THEN '1' ELSE SUBSTRING_INDEX(REGEXP_SUBSTR(url, '(&|^)channel_id=([^&]*)'), '=', -1) END AS channel_id FROM bid WHERE REGEXP_SUBSTR(url, '(&|^)channel_id=([^&]*)') IS NOT NULL OR LOWER(channel) IN ('apple','google','facebook','baidu');
--  q22
SELECT auction, bidder, price, channel, SUBSTRING_INDEX(SUBSTRING_INDEX(url, '/', 4), '/', -1) AS dir1, SUBSTRING_INDEX(SUBSTRING_INDEX(url, '/', 5), '/', -1) AS dir2 FROM bid;
--  q23
SELECT bidder, price, P.id, P.name, A.itemName FROM bid B JOIN person P ON P.id = B.bidder JOIN auction A ON A.seller = B.bidder;
