package expr_test

import "testing"

// TestDocumented has what MariaDB does not know: the values are those of MySQL's manual, of the standards named, or follow from the
// descriptions.
func TestDocumented(t *testing.T) {
	check(t, [][2]string{
		// MySQL 8, "Regular Expressions"
		{"REGEXP_INSTR('dog cat dog', 'dog')", "1"}, {"REGEXP_INSTR('dog cat dog', 'dog', 2)", "9"}, {"REGEXP_INSTR('aa aaa aaaa', 'a{2}')", "1"}, {"REGEXP_INSTR('aa aaa aaaa', 'a{4}')", "8"},
		{"REGEXP_INSTR('dog cat dog', 'dog', 1, 2)", "9"}, {"REGEXP_INSTR('dog cat dog', 'dog', 1, 2, 1)", "12"}, {"REGEXP_INSTR('äb', 'B', 1, 1, 0, 'i')", "2"}, {"REGEXP_INSTR('a', 'a', 3)", "failed: REGEXP_INSTR: position 3…"},
		{"REGEXP_LIKE('Michael!', '.*')", "1"}, {"REGEXP_LIKE('a', '^[a-d]')", "1"}, {"REGEXP_LIKE('abc', 'ABC', 'c')", "0"}, {"REGEXP_LIKE('abc', 'ABC', 'ci')", "1"}, {"REGEXP_LIKE('a\\nb', '^b$', 'm')", "1"}, {"REGEXP_LIKE('a\\nb', 'a.b', 'n')", "1"},
		{"REGEXP_LIKE('a', 'a', 'x')", "refused:…"}, {"REGEXP_LIKE('a', '(')", "refused:…"}, {`REGEXP_LIKE('aa', '(a)\\1')`, "refused:…"}, {"REGEXP_LIKE('a', NULL)", "NULL"},
		{"REGEXP_REPLACE('a b c', 'b', 'X')", "a X c"}, {"REGEXP_REPLACE('abc def ghi', '[a-z]+', 'X', 1, 3)", "abc def X"}, {"REGEXP_REPLACE('a1b2', '([a-z])([0-9])', '$2$1')", "1a2b"}, {`REGEXP_REPLACE('ab', 'b', '\\$1')`, "a$1"},
		{"REGEXP_REPLACE('ab', '(b)', '$12')", "ab2"}, {"REGEXP_REPLACE('ab', 'b', '$1')", "failed: REGEXP_REPLACE: the pattern has 0 groups…"}, {"REGEXP_REPLACE('aXbX', 'x', '', 3, 0, 'i')", "aXb"},
		{"REGEXP_SUBSTR('abc def ghi', '[a-z]+')", "abc"}, {"REGEXP_SUBSTR('abc def ghi', '[a-z]+', 1, 3)", "ghi"}, {"REGEXP_SUBSTR('abc', '[0-9]')", "NULL"}, {"REGEXP_EXTRACT('ab', 'b', 1)", "failed: REGEXP_EXTRACT: the pattern has no group 1…"}, {"REGEXP_EXTRACT_ALL('k=1;k=2', 'k=([0-9])', 1)", `["1","2"]`},
		// MySQL 8, "JSON Functions", "Miscellaneous Functions"
		{`17 MEMBER OF ('[23, "abc", 17, "ab", 10]')`, "1"}, {`'ab' MEMBER OF ('[23, "abc", 17, "ab", 10]')`, "1"}, {`7 MEMBER OF ('[23, "abc", 17, "ab", 10]')`, "0"}, {`'a' MEMBER OF ('[23, "abc", 17, "ab", 10]')`, "0"}, {`CAST('[4,5]' AS JSON) MEMBER OF ('[[3,4],[4,5]]')`, "1"}, {"'17' MEMBER OF ('[17]')", "0"},
		{`JSON_PRETTY('{"a":"10","b":[],"c":{"x":[1,{}]}}')`, "{\n  \"a\": \"10\",\n  \"b\": [],\n  \"c\": {\n    \"x\": [\n      1,\n      {}\n    ]\n  }\n}"},
		{"JSON_SET('{}', '$.a[*]', 1)", "refused:…"}, {"JSON_SET('{}', '$.a')", "refused:…"}, {"JSON_REMOVE('[1]', '$')", "failed: JSON_REMOVE: the path $…"}, {"JSON_CONTAINS_PATH('{}', 'some', '$.a')", "refused:…"}, {"JSON_ARRAY_INSERT('[1]', '$.a', 1)", "failed: JSON_ARRAY_INSERT: the path must end in [n]"},
		{"HEX(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db'))", "6CCD780CBABA102695645B8C656024DB"}, {"HEX(UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1))", "1026BABA6CCD780C95645B8C656024DB"},
		{"BIN_TO_UUID(UUID_TO_BIN('6CCD780C-BABA-1026-9564-5B8C656024DB', 1), 1)", "6ccd780c-baba-1026-9564-5b8c656024db"}, {"BIN_TO_UUID('abc')", "failed: BIN_TO_UUID: 3 bytes…"}, {"UUID_TO_BIN('x')", "failed: UUID_TO_BIN:…"},
		{"IS_UUID('6CCD780C-BABA-1026-9564-5B8C656024DB')", "1"}, {"IS_UUID('6CCD780CBABA102695645B8C656024DB')", "1"}, {"IS_UUID('{6CCD780C-BABA-1026-9564-5B8C656024DB}')", "1"}, {"IS_UUID('6ccd780c-baba-1026-9564-5b8c6560')", "0"}, {"IS_UUID('6ccd780cb-aba-1026-9564-5b8c656024db')", "0"}, {"IS_UUID(NULL)", "NULL"},
		// RFC 9562, xxHash's specification
		{"UUID_V5('dns', 'python.org')", "886313e1-3b8a-5372-9b90-0c9aee199e5d"}, {"UUID_V5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'python.org')", "886313e1-3b8a-5372-9b90-0c9aee199e5d"}, {"UUID_V5('x', 'y')", "failed: UUID_V5: the namespace…"}, {"XXHASH64('')", "17241709254077376921"},
		// texts
		{"SPLIT('abc', '')", `["a","b","c"]`}, {"SPLIT('', ',')", `[""]`}, {"SPLIT('', '')", "[]"}, {"SPLIT('a,', ',')", `["a",""]`}, {"SPLIT_PART('a,b', ',', 3)", "NULL"}, {"SPLIT_PART('a,b', ',', -3)", "NULL"}, {"SPLIT_PART('a,b', ',', 0)", "failed:…"}, {"INITCAP('ÉCOLE 2nd')", "École 2nd"}, {"TRANSLATE('äbc', 'äc', 'a')", "ab"}, {"FORMAT(1, 2, 'de_DE')", "refused:…"}, {"CHAR(255 USING utf8mb4)", "failed: the bytes are not UTF-8"}, {"CHAR(65 USING latin1)", "refused:…"}, {"REPEAT('', 9223372036854775807)", ""},
		// time
		{"DATE_TRUNC('DAY', '2024-07-01 23:30:00', 'Europe/Berlin')", "2024-07-01 22:00:00"}, {"DATE_TRUNC('WEEK', DATE '2024-02-29')", "2024-02-26"}, {"DATE_TRUNC('QUARTER', '2024-05-31 10:00:00.5')", "2024-04-01 00:00:00"}, {"DATE_TRUNC('MILLISECOND', '2024-05-31 10:00:00.123456')", "2024-05-31 10:00:00.123"}, {"DATE_TRUNC('YEAR', '1969-06-01')", "1969-01-01 00:00:00"}, {"DATE_TRUNC('EON', '1969-06-01')", "refused:…"},
		{"CONVERT_TZ('2024-01-01 00:00:00', '+15:00', 'UTC')", "refused:…"}, {"CONVERT_TZ('2024-01-01 00:00:00', 'UTC', '-03:30')", "2023-12-31 20:30:00"}, {"CONVERT_TZ('2024-01-01 00:00:00', 'Local', 'UTC')", "refused:…"},
		{"TIMEDIFF('10:00:00', '2024-01-01 00:00:00')", "refused:…"}, {"TIMEDIFF('2024-03-01 00:00:00', '2024-01-01 00:00:00')", "failed: TIME value is out of range"}, {"PERIOD_ADD(202413, 1)", "failed: 202413 is not a period…"}, {"TIME_FORMAT('10:00:00', '%Y')", "failed:…"}, {"CURTIME()", "03:04:05"}, {"CURTIME(3)", "03:04:05.678"},
		{"DATE '2024-01-01' + INTERVAL '1 2' HOUR", "refused:…"}, {"DATE_ADD('2024-01-01', INTERVAL '1:2:3' MINUTE_SECOND)", "refused:…"}, {"EXTRACT(DAY_HOUR FROM DATE '2024-01-05')", "500"},
		// networks and URLs (RFC 3986, RFC 4291)
		{"IP_IN_CIDR('2001:db8::1', '2001:db8::/32')", "1"}, {"IP_IN_CIDR('10.0.0.1', '2001:db8::/32')", "0"}, {"IP_IN_CIDR('x', '10.0.0.0/8')", "NULL"}, {"IP_IN_CIDR('10.0.0.1', '10.0.0.0')", "refused:…"},
		{"URL_HOST('https://user@[::1]:8080/p')", "::1"}, {"URL_PORT('https://example.org/')", "NULL"}, {"URL_HOST('not a url')", "NULL"}, {"URL_PATH('https://h')", "NULL"}, {"URL_PARAM('https://h/?a=1&a=2&b', 'a')", "1"}, {"URL_PARAM('https://h/?a=1&b', 'b')", ""}, {"URL_PARAM('https://h/?a=1', 'c')", "NULL"}, {"URL_DECODE('%zz')", "NULL"}, {"URL_ENCODE('é/?')", "%C3%A9%2F%3F"}, {"URL_DECODE(URL_ENCODE('a+b c&é'))", "a+b c&é"},
	})
}
