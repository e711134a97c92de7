-- q8, monitor new users: who registered and put something up for auction in the same ten seconds.
--
-- Both sides are final rows of the same windows, whose time is the window's last millisecond: they meet WITHIN no time at all.
CREATE STREAM q8 AS
  SELECT p.id, p.name, p.st
  FROM (
    SELECT id, name, window_start AS st, window_end AS et
    FROM person
    WINDOW TUMBLING(10s)
    GROUP BY id, name EMIT FINAL
  ) p
  JOIN (
    SELECT seller, window_start AS st, window_end AS et
    FROM auction
    WINDOW TUMBLING(10s)
    GROUP BY seller EMIT FINAL
  ) a WITHIN 0s
  ON p.id = a.seller AND p.st = a.st AND p.et = a.et;
