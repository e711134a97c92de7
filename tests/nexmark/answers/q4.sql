-- An AVG of integers has four more digits and is rounded half up.
SELECT category, printf('%d.%04d', (20000 * SUM(final) + COUNT(*)) / (2 * COUNT(*)) / 10000, (20000 * SUM(final) + COUNT(*)) / (2 * COUNT(*)) % 10000)
FROM (SELECT a.id, a.category, MAX(b.price) AS final FROM auction a JOIN bid b ON b.auction = a.id AND b.dateTime BETWEEN a.dateTime AND a.expires GROUP BY a.id, a.category)
GROUP BY category;
