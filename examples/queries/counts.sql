-- Count and sum per customer and minute, one row per closed window.
--
--   streamsql run --until end examples/queries/counts.sql
CREATE STREAM payments (customer VARCHAR, amount DECIMAL(12,2)) WITH (
  connector = 'generate', partitions = 3, disorder = '2s',
  generate.rows = 3000, generate.start = '2026-01-01T00:00:00Z', generate.interval = '100ms', generate.disorder = '2s',
  generate.customer = 'ref(c-,10)', generate.amount = 'uniform(1,100)'
);

CREATE TABLE per_minute AS
  SELECT customer, window_start, COUNT(*) AS payments, SUM(amount) AS amount
  FROM payments WINDOW TUMBLING(1m)
  WHERE amount >= 5
  GROUP BY customer
  EMIT FINAL;
