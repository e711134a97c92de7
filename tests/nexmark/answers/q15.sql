SELECT substr(dateTime, 1, 10), COUNT(*), SUM(price < 10000), COUNT(DISTINCT bidder), COUNT(DISTINCT CASE WHEN price < 10000 THEN bidder END), COUNT(DISTINCT auction)
FROM bid GROUP BY 1;
