SELECT DISTINCT p.id, p.name, strftime('%Y-%m-%d %H:%M:%S.000', p.ts / 10000 * 10, 'unixepoch')
FROM person p JOIN auction a ON a.seller = p.id AND a.ts / 10000 = p.ts / 10000;
