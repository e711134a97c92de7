-- Messages arrive in three partitions; about one in five repeats an id, often in another partition.
CREATE STREAM messages (message_id VARCHAR, customer VARCHAR, amount DECIMAL(10,2)) WITH (
  connector = 'generate', partitions = 3, generate.rate = 20, generate.interval = '50ms',
  generate.message_id = 'id(m-,6) repeat(20,20)', generate.customer = 'ref(c-,5)');

-- What is known of the customers, changing all the time.
CREATE TABLE customers (id VARCHAR PRIMARY KEY, owner VARCHAR) WITH (
  connector = 'generate', generate.rate = 5, generate.interval = '200ms',
  generate.id = 'ref(c-,5)', generate.owner = 'choice(Ada,Grace,Alan,Edsger)');

-- 1. No id twice within ten seconds, whatever partition it came by.
CREATE STREAM deduplicated AS
  SELECT DISTINCT ON (message_id) * FROM messages WINDOW TUMBLING(10s);

-- 2. Each message with the owner its customer had at the time of the message.
CREATE STREAM enriched AS
  SELECT m.message_id, m.customer, c.owner, m.amount
  FROM messages m LEFT JOIN customers c ON m.customer = c.id;
