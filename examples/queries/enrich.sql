-- Give each order the owner that its customer had at the time of the order.
--
--   streamsql run --until end examples/queries/enrich.sql
--
-- The table changes all the time; an order meets the version that was valid at its event time, however the two topics
-- are read.
CREATE STREAM orders (order_id VARCHAR, customer VARCHAR, amount DECIMAL(12,2)) WITH (
  connector = 'generate', partitions = 3,
  generate.rows = 2000, generate.start = '2026-01-01T00:00:10Z', generate.interval = '100ms', generate.seed = 1,
  generate.order_id = 'id(o-,6)', generate.customer = 'ref(c-,50)'
);

CREATE TABLE contexts (id VARCHAR PRIMARY KEY, owner VARCHAR) WITH (
  connector = 'generate',
  generate.rows = 1000, generate.start = '2026-01-01T00:00:00Z', generate.interval = '200ms', generate.seed = 2,
  generate.id = 'ref(c-,50)', generate.owner = 'choice(Ada,Grace,Alan,Edsger)'
);

CREATE STREAM enriched AS
  SELECT o.order_id, o.customer, c.owner, o.amount
  FROM orders o LEFT JOIN contexts c ON o.customer = c.id;
