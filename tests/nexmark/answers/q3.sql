SELECT p.name, p.city, p.state, a.id
FROM auction a JOIN person p ON p.id = a.seller AND p.ts <= a.ts
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');
