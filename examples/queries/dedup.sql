-- Drop repeats of an id that is not the Kafka key, whatever partitions they come by.
--
--   streamsql run --until end examples/queries/dedup.sql
--
-- 2,000 rows, five of them a second by their event times; about a fifth repeats the id of one of the 20 rows before.
CREATE STREAM topic_source (message_id VARCHAR, customer VARCHAR, amount DECIMAL(12,2)) WITH (
  connector = 'generate', partitions = 3,
  generate.rows = 2000, generate.start = '2026-01-01T00:00:00Z', generate.interval = '200ms',
  generate.message_id = 'id(m-,6) repeat(20,20)'
);

CREATE STREAM topic_target AS
  SELECT DISTINCT ON (message_id) *
  FROM topic_source WINDOW TUMBLING(10s);
