-- The streams and tables of the Nexmark queries, made up in this process: one world, since all have the same seed.
--
--   streamsql run --until end examples/queries/nexmark/sources.sql examples/queries/nexmark/q3.sql
--
-- The same over topics: kafka.sql. person and auction are there twice: as streams of facts, and as the tables of their latest rows, people
-- and auctions, which bids and auctions are joined with at their own event time. Records are keyed by the first column, so what is
-- grouped or joined by it stays where it is.
CREATE STREAM person (
  id BIGINT, name VARCHAR, emailAddress VARCHAR, creditCard VARCHAR, city VARCHAR,
  state VARCHAR, dateTime TIMESTAMP(3), extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (
  connector = 'nexmark', partitions = 4, key = 'id',
  nexmark.type = 'person', nexmark.events = 100000, nexmark.interval = '1ms', nexmark.start = '2026-01-01T23:59:10Z', nexmark.disorder = '1s', nexmark.seed = 7
);

CREATE STREAM auction (
  id BIGINT, itemName VARCHAR, description VARCHAR, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (
  connector = 'nexmark', partitions = 4, key = 'id',
  nexmark.type = 'auction', nexmark.events = 100000, nexmark.interval = '1ms', nexmark.start = '2026-01-01T23:59:10Z', nexmark.disorder = '1s', nexmark.seed = 7
);

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR, url VARCHAR,
  dateTime TIMESTAMP(3), extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (
  connector = 'nexmark', partitions = 4, key = 'auction',
  nexmark.type = 'bid', nexmark.events = 100000, nexmark.interval = '1ms', nexmark.start = '2026-01-01T23:59:10Z', nexmark.disorder = '1s', nexmark.seed = 7
);

CREATE TABLE people (
  id BIGINT PRIMARY KEY, name VARCHAR, emailAddress VARCHAR, creditCard VARCHAR, city VARCHAR,
  state VARCHAR, dateTime TIMESTAMP(3), extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (
  connector = 'nexmark', partitions = 4, key = 'id',
  nexmark.type = 'person', nexmark.events = 100000, nexmark.interval = '1ms', nexmark.start = '2026-01-01T23:59:10Z', nexmark.disorder = '1s', nexmark.seed = 7
);

CREATE TABLE auctions (
  id BIGINT PRIMARY KEY, itemName VARCHAR, description VARCHAR, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (
  connector = 'nexmark', partitions = 4, key = 'id',
  nexmark.type = 'auction', nexmark.events = 100000, nexmark.interval = '1ms', nexmark.start = '2026-01-01T23:59:10Z', nexmark.disorder = '1s', nexmark.seed = 7
);

-- The bids as they arrive: without a WATERMARK the event time is the record's timestamp, which on a broker with
-- message.timestamp.type = LogAppendTime is when the record came. (Here it is the bid's own, which is in order up to a second.)
CREATE STREAM arriving_bid (
  auction BIGINT, bidder BIGINT, price BIGINT, dateTime TIMESTAMP(3)
) WITH (
  connector = 'nexmark', partitions = 4, key = 'auction', disorder = '1s',
  nexmark.type = 'bid', nexmark.events = 100000, nexmark.interval = '1ms', nexmark.start = '2026-01-01T23:59:10Z', nexmark.disorder = '1s', nexmark.seed = 7
);

-- What q13 looks up.
CREATE TABLE side_input (`key` BIGINT PRIMARY KEY, value VARCHAR) WITH (
  connector = 'generate', generate.rows = 10000, generate.start = '2026-01-01T00:00:00Z', generate.interval = '1ms',
  generate.key = 'sequence(0)', generate.value = 'id(side-,1)'
);
