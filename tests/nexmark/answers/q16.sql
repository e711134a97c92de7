SELECT channel, substr(dateTime, 1, 10), MAX(substr(dateTime, 12, 5)), COUNT(*), COUNT(DISTINCT CASE WHEN price >= 1000000 THEN auction END)
FROM bid GROUP BY 1, 2;
