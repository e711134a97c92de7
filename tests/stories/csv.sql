--@test: fields by position, quotes, NULL against an empty text
CREATE STREAM s (id INT, name VARCHAR, price DECIMAL(10,2), at TIMESTAMP(3)) WITH (topic='s', partitions=1, format='csv');
CREATE STREAM o AS SELECT name, id, price, at FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '1,plain,12.5,2024-05-06T07:08:09Z'), (2, '2,"a ""b"", c",-0.005,1714979289000'), (3, '3,"",,'), (4, '4,,7,'),
  (5, '"5","two\nlines",1e1,2024-05-06 07:08:09.5\r\n');
ASSERT VALUES o (id, name, price, at) VALUES (1, 'plain', 12.50, TIMESTAMP '2024-05-06 07:08:09'), (2, 'a "b", c', -0.01, TIMESTAMP '2024-05-06 07:08:09'), (3, '', NULL, NULL),
  (4, NULL, 7.00, NULL), (5, 'two\nlines', 10.00, TIMESTAMP '2024-05-06 07:08:09.5');
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 0;

--@test: only the columns that a query reads are converted, and the rest must still be a record
CREATE STREAM s (a INT, b INT, c INT) WITH (topic='s', partitions=1, format='csv');
CREATE STREAM o AS SELECT b FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, 'x,1,y'), (2, '1,2'), (3, '1,2,3,4'), (4, '1,"2"x,3'), (5, '1,2,3\n4,5,6'), (6, 'x,y,z'), (7, ',,');
ASSERT VALUES o (b) VALUES (1), (NULL);
ASSERT NO MORE VALUES o;
ASSERT ERRORS s 5;

--@test: written as RFC 4180
CREATE STREAM s (id INT, name VARCHAR, f DOUBLE, raw VARBINARY) WITH (topic='s', partitions=1);
CREATE STREAM o WITH (format='csv') AS SELECT id, name, f, raw FROM s;
CREATE STREAM back WITH (format='csv') AS SELECT id, name, f, raw FROM o;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '{"id":1,"name":"plain","f":0.5,"raw":"aGk="}'), (2, '{"id":2,"name":"say \\"x, y\\"\\nz"}'), (3, '{"id":null,"name":""}');
ASSERT VALUES o (_value) VALUES ('1,plain,0.5,aGk='), ('2,"say ""x, y""\nz",,'), (',"",,');
ASSERT VALUES back (_value) VALUES ('1,plain,0.5,aGk='), ('2,"say ""x, y""\nz",,'), (',"",,');
ASSERT ERRORS o 0;

--@test: a table in tabs, keyed by the Kafka key
CREATE TABLE t (id VARCHAR PRIMARY KEY, owner VARCHAR) WITH (topic='t', partitions=1, format='tsv', key='id');
CREATE STREAM s (id VARCHAR) WITH (topic='s', partitions=1);
CREATE STREAM o WITH (format='tsv') AS SELECT s.id, t.owner FROM s LEFT JOIN t ON s.id = t.id;
INSERT INTO t RAW (_timestamp, _key, _value) VALUES (1, 'a', 'a\tann, eve'), (2, 'b', '\tbob'), (4, 'a', NULL), (5, 'b', 'c\tcarl');
INSERT INTO s (id, _timestamp) VALUES ('a', 3), ('a', 6), ('b', 7);
ASSERT VALUES o (_value) VALUES ('a\tann, eve'), ('a\t'), ('b\tbob');
ASSERT NO MORE VALUES o;
ASSERT ERRORS t 1;

--@test: another delimiter, quote and NULL; the whole value is forwarded only into the same
CREATE STREAM s (id INT, name VARCHAR) WITH (topic='s', partitions=1, format='csv', csv.delimiter=';', csv.quote='''', csv.null='\\N');
CREATE STREAM same WITH (format='csv', csv.delimiter=';', csv.quote='''', csv.null='\\N') AS SELECT * FROM s;
CREATE STREAM other WITH (format='csv') AS SELECT * FROM s;
INSERT INTO s RAW (_timestamp, _value) VALUES (1, '1;''it''''s; "x"'''), (2, '2;\\N'), (3, '''3'';');
ASSERT VALUES same (_value) VALUES ('1;''it''''s; "x"'''), ('2;\\N'), ('''3'';');
ASSERT VALUES other (_value) VALUES ('1,"it''s; ""x"""'), ('2,'), ('3,""');

--@test: nested columns have no place in a field
--@expect.error: column 'tags' is ARRAY<VARCHAR>
CREATE STREAM s (id INT, tags ARRAY<VARCHAR>) WITH (topic='s', format='csv');

--@test: an option of another format
--@expect.error: option csv.delimiter belongs to format 'csv' or 'tsv', s has 'json'
CREATE STREAM s (id INT) WITH (topic='s', csv.delimiter=';');

--@test: a misspelt option of a format
--@expect.error: unknown option csv.delimeter
CREATE STREAM s (id INT) WITH (topic='s', format='csv', csv.delimeter=';');
