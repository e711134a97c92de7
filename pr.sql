CREATE STREAM g (id VARCHAR, n INT) WITH (connector='generate', generate.rate=50, generate.seed=1);
CREATE STREAM o AS SELECT id FROM g;
SELECT * FROM g LIMIT 5;
PAUSE o;
SHOW QUERIES;
RESUME o;
TERMINATE o;
SHOW QUERIES;
