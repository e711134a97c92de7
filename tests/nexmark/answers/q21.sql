-- Urls either end in &channel_id=n or do not have it.
SELECT auction, bidder, price, channel,
  CASE
    WHEN channel = 'Apple' THEN '0'
    WHEN channel = 'Google' THEN '1'
    WHEN instr(url, '&channel_id=') > 0 THEN substr(url, instr(url, '&channel_id=') + 12)
  END
FROM bid WHERE instr(url, '&channel_id=') > 0 OR channel IN ('Apple', 'Google', 'Facebook', 'Baidu');
