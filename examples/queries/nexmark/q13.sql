-- q13, bounded side input join: what a file, here a table, says about an auction.
--
-- AS OF TIMESTAMP proctime() becomes AS OF LATEST: whatever the table holds when the bid is processed. So the answer depends on timing
-- while the table changes, which this one does not do after its load.
CREATE STREAM q13 AS
  SELECT b.auction, b.bidder, b.price, b.dateTime, s.value
  FROM bid b JOIN side_input s AS OF LATEST ON MOD(b.auction, 10000) = s.`key`;
