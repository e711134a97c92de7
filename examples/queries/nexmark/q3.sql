-- q3, local item suggestion: who sells in Oregon, Idaho or California.
--
-- A person is what it was when the auction began, so the persons are a table; the original joins two streams for ever, which keeps
-- every auction in case its seller should still come.
CREATE STREAM q3 AS
  SELECT p.name, p.city, p.state, a.id
  FROM auction a JOIN people p ON a.seller = p.id
  WHERE a.category = 10 AND (p.state = 'OR' OR p.state = 'ID' OR p.state = 'CA');
