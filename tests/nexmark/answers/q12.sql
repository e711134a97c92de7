SELECT bidder, COUNT(*), strftime('%Y-%m-%d %H:%M:%S.000', ts / 10000 * 10, 'unixepoch'), strftime('%Y-%m-%d %H:%M:%S.000', ts / 10000 * 10 + 10, 'unixepoch')
FROM bid GROUP BY bidder, ts / 10000;
