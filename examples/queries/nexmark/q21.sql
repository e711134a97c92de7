-- q21, add channel id: from the channel's name, or from the url.
CREATE STREAM q21 AS
  SELECT auction, bidder, price, channel,
    CASE
      WHEN LOWER(channel) = 'apple' THEN '0'
      WHEN LOWER(channel) = 'google' THEN '1'
      ELSE SUBSTRING_INDEX(REGEXP_SUBSTR(url, '(&|^)channel_id=([^&]*)'), '=', -1)
    END AS channel_id
  FROM bid
  WHERE REGEXP_SUBSTR(url, '(&|^)channel_id=([^&]*)') IS NOT NULL OR LOWER(channel) IN ('apple', 'google', 'facebook', 'baidu');
