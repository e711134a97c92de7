-- The streams and tables of the Nexmark queries over topics of a cluster: nexmark_person, nexmark_auction, nexmark_bid and nexmark_side, as
-- the usual loaders fill them.
--
--   streamsql run -b localhost:9092 --until end examples/queries/nexmark/kafka.sql examples/queries/nexmark/q3.sql
--
-- Made up in this process instead: sources.sql, which says more.
CREATE STREAM person (
  id BIGINT, name VARCHAR, emailAddress VARCHAR, creditCard VARCHAR, city VARCHAR,
  state VARCHAR, dateTime TIMESTAMP(3), extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (topic = 'nexmark_person', partitions = 4, key = 'id');

CREATE STREAM auction (
  id BIGINT, itemName VARCHAR, description VARCHAR, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (topic = 'nexmark_auction', partitions = 4, key = 'id');

CREATE STREAM bid (
  auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR, url VARCHAR,
  dateTime TIMESTAMP(3), extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (topic = 'nexmark_bid', partitions = 4, key = 'auction');

CREATE TABLE people (
  id BIGINT PRIMARY KEY, name VARCHAR, emailAddress VARCHAR, creditCard VARCHAR, city VARCHAR,
  state VARCHAR, dateTime TIMESTAMP(3), extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (topic = 'nexmark_person', partitions = 4, key = 'id');

CREATE TABLE auctions (
  id BIGINT PRIMARY KEY, itemName VARCHAR, description VARCHAR, initialBid BIGINT, reserve BIGINT,
  dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra VARCHAR,
  WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND
) WITH (topic = 'nexmark_auction', partitions = 4, key = 'id');

CREATE STREAM arriving_bid (
  auction BIGINT, bidder BIGINT, price BIGINT, dateTime TIMESTAMP(3)
) WITH (topic = 'nexmark_bid', partitions = 4, key = 'auction', disorder = '1s');

CREATE TABLE side_input (`key` BIGINT PRIMARY KEY, value VARCHAR) WITH (topic = 'nexmark_side', partitions = 1, key = 'key');
