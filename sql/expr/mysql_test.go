package expr

import (
	"strings"
	"testing"
)

// The expected values are MySQL 8's documented results (Reference Manual, chapter 14), with strict mode's refusals where
// the engine fails a row instead of giving a warning.
func check(t *testing.T, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		got := calc(t, c[0])
		if want, prefix := strings.CutSuffix(c[1], "…"); prefix && strings.HasPrefix(got, want) || got == c[1] {
			continue
		}
		t.Errorf("%s\n got  %s\n want %s", c[0], got, c[1])
	}
}

func TestArithmetic(t *testing.T) {
	check(t, [][2]string{
		{"1 + 2 * 3", "7"}, {"7 / 2", "3.5000"}, {"7 DIV 2", "3"}, {"-7 DIV 2", "-3"}, {"-7 % 2", "-1"}, {"7 % -2", "1"},
		{"-7 / 2", "-3.5000"}, {"1 / 3", "0.3333"}, {"2 / 3", "0.6667"}, {"-2 / 3", "-0.6667"}, {"1.50 / 3", "0.500000"},
		{"1 / 0", "NULL"}, {"1 DIV 0", "NULL"}, {"1 % 0", "NULL"}, {"1.0 / 0", "NULL"}, {"1.5 DIV 0.0", "NULL"}, {"1.5 % 0", "NULL"},
		{"1e0 / 0", "NULL"}, {"1e0 % 0", "NULL"}, {"1e0 DIV 0", "NULL"},
		{"NULL + 1", "NULL"}, {"1 - NULL", "NULL"}, {"NULL / NULL", "NULL"},
		{"0.1 + 0.2", "0.3"}, {"0.1 + 0.2 = 0.3", "1"}, {"0.1e0 + 0.2e0 = 0.3e0", "0"}, {"1.10 + 2", "3.10"}, {"1.5 * 1.5", "2.25"}, {"5.5 % 2", "1.5"},
		{"-5.5 % 2", "-1.5"}, {"5.9 DIV 2", "2"}, {"-5.9 DIV 2", "-2"}, {"10 DIV 0.3", "33"}, {"1.5 + 1e0", "2.5"}, {"7e0 DIV 2", "3"},
		{"9223372036854775807 + 1", "failed: BIGINT value is out of range in '(9223372036854775807 + 1)'"},
		{"-9223372036854775808", "-9223372036854775808"}, {"-9223372036854775808 - 1", "failed: BIGINT value is out of range in '(-9223372036854775808 - 1)'"},
		{"-9223372036854775808 DIV -1", "failed: BIGINT value is out of range…"}, {"-9223372036854775808 % -1", "0"}, {"-9223372036854775808 * -1", "failed: BIGINT…"},
		{"4611686018427387904 * 2", "failed: BIGINT…"}, {"-4611686018427387904 * 2", "-9223372036854775808"}, {"3037000500 * 3037000500", "failed: BIGINT…"},
		{"9223372036854775807 + 1.0", "9223372036854775808.0"}, {"18446744073709551615", "18446744073709551615"}, {"18446744073709551615 + 0", "18446744073709551615"},
		{"18446744073709551615 + 1", "failed: BIGINT UNSIGNED value is out of range…"}, {"CAST(1 AS UBIGINT) - 2", "failed: BIGINT UNSIGNED…"},
		{"18446744073709551615 - 18446744073709551614", "1"}, {"-1 % CAST(3 AS UBIGINT)", "-1"}, {"18446744073709551615 DIV 2", "9223372036854775807"},
		{"99999999999999999999999999999999999999 + 1", "failed: DECIMAL value is out of range…"}, {"99999999999999999999999999999999999999 / 3", "failed: DECIMAL…"},
		{"99999999999999999999999999999999999999 DIV 99999999999999999999999999999999999998", "1"},
		{"1e308 * 10", "failed: DOUBLE value is out of range…"}, {"-(1.5)", "-1.5"}, {"- CAST(5 AS UBIGINT)", "-5"}, {"-18446744073709551615", "-18446744073709551615"},
		{"5 & 6", "4"}, {"5 | 6", "7"}, {"5 ^ 6", "3"}, {"1 << 3", "8"}, {"1 << 64", "0"}, {"~0", "18446744073709551615"}, {"-1 >> 63", "1"}, {"NULL & 1", "NULL"},
		{"TRUE + TRUE", "2"}, {"'1' + 1", "refused: operator +: …"}, {"'a' || 1 || NULL", "NULL"}, {"'a' || 1", "a1"},
	})
}

func TestComparison(t *testing.T) {
	check(t, [][2]string{
		{"1 < 2", "1"}, {"1 = 1.0", "1"}, {"1.10 = 1.1", "1"}, {"1 = 1e0", "1"}, {"2 > 10", "0"}, {"'2' > '10'", "1"}, {"'a' = 'A'", "0"}, {"'a' = 'a '", "0"},
		{"'a' < 'b'", "1"}, {"'B' < 'a'", "1"}, {"NULL = NULL", "NULL"}, {"NULL <=> NULL", "1"}, {"1 <=> NULL", "0"}, {"1 <=> 1", "1"}, {"NULL <> 1", "NULL"},
		{"18446744073709551615 > -1", "1"}, {"18446744073709551615 = 18446744073709551615", "1"}, {"9007199254740993 = 9007199254740992", "0"},
		{"99999999999999999999999999999999999999 > 0.00000000000000000000000000000000000001", "1"}, {"-99999999999999999999999999999999999999 < 0.00000001", "1"},
		{"1 = '1'", "refused: BIGINT does not compare with VARCHAR; write CAST(… AS BIGINT)…"},
		{"DATE '2024-01-01' = '2024-01-01'", "1"}, {"DATE '2024-01-01' < '2024-01-01 00:00:01'", "1"}, {"TIMESTAMP '2024-01-01 10:00:00' > DATE '2024-01-01'", "1"},
		{"TIMESTAMP '2024-01-01 10:00:00' = '2024-01-01T12:00:00+02:00'", "1"}, {"TIMESTAMP '2024-01-01' = 'soon'", "refused: cannot cast 'soon' to TIMESTAMP(6)…"},
		{"TIMESTAMP '2024-01-01' > 5", "refused: TIMESTAMP does not compare with BIGINT…"}, {"CAST('1' AS JSON) = 1", "refused: JSON does not compare with BIGINT…"},
		{"2 BETWEEN 1 AND 3", "1"}, {"1 BETWEEN NULL AND 3", "NULL"}, {"5 BETWEEN NULL AND 3", "0"}, {"2 NOT BETWEEN 1 AND 3", "0"},
	})
}

func TestLogic(t *testing.T) {
	check(t, [][2]string{
		{"TRUE AND NULL", "NULL"}, {"FALSE AND NULL", "0"}, {"NULL AND FALSE", "0"}, {"TRUE OR NULL", "1"}, {"NULL OR TRUE", "1"}, {"FALSE OR NULL", "NULL"},
		{"NULL XOR TRUE", "NULL"}, {"TRUE XOR TRUE", "0"}, {"TRUE XOR FALSE", "1"}, {"NOT NULL", "NULL"}, {"NOT 0", "1"}, {"NOT 5", "0"}, {"2 AND 1", "1"}, {"0.5 AND 1", "1"},
		{"NULL IS NULL", "1"}, {"1 IS NOT NULL", "1"}, {"NULL IS TRUE", "0"}, {"NULL IS NOT TRUE", "1"}, {"0 IS FALSE", "1"}, {"NULL IS FALSE", "0"}, {"NULL IS UNKNOWN", "1"}, {"2 IS TRUE", "1"},
		{"'a' AND 1", "refused: 'a' is VARCHAR, not a condition…"},
		{"FALSE AND CAST('x' AS BIGINT) = 1", "0"}, {"TRUE OR CAST('x' AS BIGINT) = 1", "1"}, {"TRUE AND CAST('x' AS BIGINT) = 1", "failed: cannot cast 'x' to BIGINT…"},
	})
}

func TestConditions(t *testing.T) {
	check(t, [][2]string{
		{"CASE WHEN NULL > 5 THEN 'hi' ELSE 'lo' END", "lo"}, {"CASE NULL WHEN NULL THEN 'n' ELSE 'e' END", "e"}, {"CASE 'a' WHEN NULL THEN 'n' ELSE 'e' END", "e"},
		{"CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END", "b"}, {"CASE 3 WHEN 1 THEN 'a' END", "NULL"}, {"CASE WHEN 1 THEN NULL ELSE 'x' END", "NULL"},
		{"CASE WHEN 0 THEN CAST('x' AS BIGINT) ELSE 7 END", "7"}, {"CASE WHEN 1 THEN 7 WHEN CAST('x' AS BIGINT) = 1 THEN 8 END", "7"}, {"CASE WHEN 1 THEN CAST('x' AS BIGINT) ELSE 7 END", "failed: cannot cast…"},
		{"CASE WHEN TRUE THEN 1 ELSE 2.50 END", "1.00"}, {"CASE WHEN TRUE THEN 1 ELSE 'a' END", "1"}, {"IF(NULL, 1, 2)", "2"}, {"IF(1 > 0, 1, 2e0)", "1"},
		{"IFNULL(1 / 0, 0)", "0.0000"}, {"IFNULL(7 / 2, 0)", "3.5000"}, {"COALESCE(NULL, NULL)", "NULL"}, {"COALESCE(1, CAST('x' AS BIGINT))", "1"}, {"COALESCE(NULL, CAST('x' AS BIGINT))", "failed: cannot cast…"},
		{"NULLIF(1, 2)", "1"}, {"NULLIF(1, 1.0)", "NULL"}, {"NULLIF(NULL, 1)", "NULL"}, {"NULLIF('b', 'a')", "b"}, {"GREATEST(1, 2.5)", "2.5"}, {"GREATEST(1, NULL)", "NULL"}, {"LEAST(3, 1e0)", "1"},
		{"GREATEST(1, 'a')", "refused: GREATEST: …"},
		{"1 IN (1, 2)", "1"}, {"3 IN (1, 2)", "0"}, {"3 IN (1, NULL)", "NULL"}, {"1 IN (1, NULL)", "1"}, {"NULL IN (1, 2)", "NULL"}, {"3 NOT IN (1, NULL)", "NULL"}, {"1 IN (1.0)", "1"}, {"1.5 IN (1, 1.50)", "1"},
		{"'a' IN ('b', 'a')", "1"}, {"'a ' IN ('a')", "0"}, {"1 IN ('1')", "refused: IN: …"}, {"1 IN (2, 3 - 2)", "1"}, {"5 IN (2, 1 / 0)", "NULL"}, {"DATE '2024-01-01' IN ('2024-01-01')", "1"},
		{"1 IN (1.5)", "0"}, {"0e0 IN (-0e0)", "1"}, {"18446744073709551615 IN (-1)", "0"},
	})
}

func TestLike(t *testing.T) {
	check(t, [][2]string{
		{"'David!' LIKE 'David_'", "1"}, {"'David!' LIKE '%D%v%'", "1"}, {`'David!' LIKE 'David\_'`, "0"}, {`'David_' LIKE 'David\_'`, "1"}, {"'David_' LIKE 'David|_' ESCAPE '|'", "1"},
		{"'a' LIKE 'A'", "0"}, {"'a' LIKE 'a '", "0"}, {"10 LIKE '1%'", "1"}, {"'a' LIKE NULL", "NULL"}, {"NULL LIKE 'a'", "NULL"}, {"'abc' NOT LIKE 'a%'", "0"}, {"'é' LIKE '_'", "1"},
		{"'' LIKE '%'", "1"}, {"'' LIKE '_'", "0"}, {"'aXbXc' LIKE 'a%X_'", "1"}, {"'abab' LIKE '%ab'", "1"}, {"'abac' LIKE '%ab'", "0"}, {"'aab' LIKE '%a_'", "1"}, {"'a%b' LIKE 'a|%b' ESCAPE '|'", "1"},
		{"'abc' REGEXP 'b'", "1"}, {"'abc' REGEXP '^b'", "0"}, {"'fofo' REGEXP '^(fo)*$'", "1"}, {"'a' REGEXP '('", "refused: REGEXP…"}, {"'abc' LIKE CONCAT('a', '%')", "1"}, {"'a' LIKE 'b' ESCAPE 'xy'", "refused: ESCAPE…"},
	})
}

func TestCasts(t *testing.T) {
	check(t, [][2]string{
		{"CAST('12' AS BIGINT)", "12"}, {"CAST(' 12 ' AS BIGINT)", "12"}, {"CAST('1e3' AS BIGINT)", "1000"}, {"CAST('1.0' AS BIGINT)", "1"}, {"CAST('1.5' AS BIGINT)", "failed: cannot cast '1.5' to BIGINT: not an integer"},
		{"CAST('abc' AS BIGINT)", "failed: cannot cast 'abc' to BIGINT: not a number"}, {"CAST('' AS BIGINT)", "failed:…"}, {"CAST('12abc' AS BIGINT)", "failed:…"}, {"CAST('9.007199254740993e15' AS BIGINT)", "9007199254740993"},
		{"CAST('9223372036854775808' AS BIGINT)", "failed: cannot cast '9223372036854775808' to BIGINT: out of range"}, {"CAST(2.5 AS BIGINT)", "3"}, {"CAST(-2.5 AS BIGINT)", "-3"}, {"CAST(2.5e0 AS BIGINT)", "2"},
		{"CAST(300 AS TINYINT)", "failed: cannot cast 300 to TINYINT: out of range"}, {"CAST(-1 AS UBIGINT)", "failed:…"}, {"CAST(18446744073709551615 AS BIGINT)", "failed:…"}, {"CAST(1e19 AS BIGINT)", "failed:…"},
		{"CAST(1.005 AS DECIMAL(10,2))", "1.01"}, {"CAST(-1.005 AS DECIMAL(10,2))", "-1.01"}, {"CAST('1.005' AS DECIMAL(10,2))", "1.01"}, {"CAST(1.005e0 AS DECIMAL(10,2))", "1.01"}, {"CAST(12 AS DECIMAL(10,2))", "12.00"},
		{"CAST(100000000 AS DECIMAL(10,2))", "failed: cannot cast 100000000 to DECIMAL(10,2): out of range"}, {"CAST('1e3' AS DOUBLE)", "1000"}, {"CAST('nan' AS DOUBLE)", "failed:…"}, {"CAST('0x10' AS DOUBLE)", "failed:…"},
		{"CAST(1.5 AS VARCHAR)", "1.5"}, {"CAST(1e20 AS VARCHAR)", "1e20"}, {"CAST(0.1e0 AS VARCHAR)", "0.1"}, {"CAST('héllo' AS VARCHAR(2))", "hé"}, {"CAST(12345 AS VARCHAR(2))", "12"}, {"CAST(TRUE AS VARCHAR)", "1"},
		{"CAST('2024-02-30' AS DATE)", "failed:…"}, {"CAST('2024-02-29' AS DATE)", "2024-02-29"}, {"CAST('2024-02-29T10:00:00.1239Z' AS TIMESTAMP(3))", "2024-02-29 10:00:00.124"}, {"CAST('2024-02-29 10:00:00+02:00' AS TIMESTAMP)", "2024-02-29 08:00:00"},
		{"CAST(1500 AS TIMESTAMP(3))", "1970-01-01 00:00:01.500"}, {"CAST(TIMESTAMP '1970-01-01 00:00:01.5' AS BIGINT)", "1500"}, {"CAST(TIMESTAMP '2024-02-29 10:11:12' AS DATE)", "2024-02-29"}, {"CAST(TIMESTAMP '2024-02-29 10:11:12' AS TIME)", "10:11:12"},
		{"CAST(TIMESTAMP '2024-02-29 10:11:12' AS VARCHAR)", "2024-02-29 10:11:12"}, {"CAST('-12:30' AS TIME)", "-12:30:00"}, {"CAST(DATE '2024-01-01' AS BIGINT)", "refused: CAST: DATE does not convert to BIGINT"}, {"CAST('true' AS BOOLEAN)", "1"}, {"CAST(0.0 AS BOOLEAN)", "0"},
		{"CAST('{\"a\":1}' AS JSON)", "{\"a\":1}"}, {"CAST('{a' AS JSON)", "failed:…"}, {"CAST(CAST('\"5\"' AS JSON) AS BIGINT)", "5"}, {"CAST(CAST('null' AS JSON) AS BIGINT)", "NULL"}, {"CAST(CAST('[1]' AS JSON) AS BIGINT)", "failed:…"}, {"CAST(NULL AS BIGINT)", "NULL"},
		{"CAST(16777217 AS FLOAT)", "16777216"}, {"CAST(CAST('1.5' AS JSON) AS DECIMAL(5,2))", "1.50"}, {"CAST(5 AS JSON)", "5"},
	})
}

func TestJSON(t *testing.T) {
	check(t, [][2]string{
		{`'{"a":{"b":[1,"x"]}}' -> '$.a.b[1]'`, `"x"`}, {`'{"a":{"b":[1,"x"]}}' ->> '$.a.b[1]'`, "x"}, {`'{"a":1}' -> '$.b'`, "NULL"}, {`'{"x y":2}' -> '$."x y"'`, "2"}, {`'[1,2,3]' -> '$[last]'`, "3"}, {`'[1,2,3]' -> '$[last-1]'`, "2"},
		{`'{"tags":[]}' ->> '$.tags[0]'`, "NULL"}, {`'5' -> '$[0]'`, "5"}, {`'{"a":9007199254740993}' -> '$.a'`, "9007199254740993"}, {`'{"a":null}' ->> '$.a'`, "null"}, {`'{"a":1,"b":2}' -> '$.*'`, "[1,2]"}, {`'{"a":[{"x":1},{"x":2}]}' -> '$.a[*].x'`, "[1,2]"},
		{`JSON_EXTRACT('{"a":1,"b":2}', '$.a', '$.b')`, "[1,2]"}, {`'{a' -> '$.a'`, "failed: invalid JSON text…"}, {`'{}' -> 'a'`, "refused: JSON_EXTRACT: JSON path \"a\" must begin with $…"}, {`'{}' -> '$.a['`, "refused:…"}, {`'{}' -> '$**.a'`, "NULL"}, {`'{}' -> '$**'`, "refused:…"}, {`NULL -> '$.a'`, "NULL"},
		{`JSON_TYPE('1')`, "INTEGER"}, {`JSON_TYPE('1.0')`, "DOUBLE"}, {`JSON_TYPE('18446744073709551615')`, "UNSIGNED INTEGER"}, {`JSON_TYPE('null')`, "NULL"}, {`JSON_TYPE('"a"')`, "STRING"}, {`JSON_TYPE('true')`, "BOOLEAN"}, {`JSON_TYPE('{}')`, "OBJECT"},
		{`JSON_LENGTH('{"a":[1,2]}', '$.a')`, "2"}, {`JSON_LENGTH('1')`, "1"}, {`JSON_LENGTH('{}', '$.a')`, "NULL"}, {`JSON_VALUE('{"a":[1]}', '$.a')`, "NULL"}, {`JSON_VALUE('{"a":1.50}', '$.a')`, "1.50"}, {`JSON_VALID('{"a":1}')`, "1"}, {`JSON_VALID(NULL)`, "NULL"},
		{`JSON_OBJECT('a', 1.50, 'b', NULL, 'c', JSON_ARRAY(TRUE, 'x'), 'd', DATE '2024-01-01')`, `{"a":1.50,"b":null,"c":[true,"x"],"d":"2024-01-01"}`}, {`JSON_OBJECT('a')`, "refused:…"}, {`JSON_OBJECT(NULL, 1)`, "failed: JSON_OBJECT: a key is NULL"}, {`JSON_UNQUOTE('abc')`, "abc"}, {`JSON_ARRAY()`, "[]"},
	})
}

func TestStrings(t *testing.T) {
	check(t, [][2]string{
		{"CONCAT('a', NULL)", "NULL"}, {"CONCAT_WS(',', 'a', NULL, '', 'b')", "a,,b"}, {"CONCAT_WS(NULL, 'a', 'b')", "NULL"}, {"SUBSTRING('Quadratically', 5)", "ratically"}, {"SUBSTRING('Quadratically', 5, 6)", "ratica"}, {"SUBSTRING('Sakila', -3)", "ila"}, {"SUBSTRING('Sakila', -5, 3)", "aki"}, {"SUBSTRING('abc', 0)", ""}, {"SUBSTRING('abc', 2, -1)", ""}, {"SUBSTRING('äöü', 2, 1)", "ö"},
		{"TRIM('  bar   ')", "bar"}, {"TRIM('xxxbarxxx', 'x', 'LEADING')", "barxxx"}, {"TRIM('barxxyz', 'xyz', 'TRAILING')", "barx"}, {"TRIM('xxbarxx', 'x')", "bar"}, {"LTRIM('  barbar')", "barbar"}, {"LEFT('foobarbar', 5)", "fooba"}, {"LEFT('abc', -1)", ""}, {"RIGHT('foobarbar', 4)", "rbar"}, {"RIGHT('ab', 5)", "ab"},
		{"LPAD('hi', 4, '??')", "??hi"}, {"LPAD('hi', 1, '??')", "h"}, {"RPAD('hi', 5, '?')", "hi???"}, {"LPAD('hi', -1, '?')", "NULL"}, {"LPAD('hi', 4, '')", ""}, {"REPLACE('www.mysql.com', 'w', 'Ww')", "WwWwWw.mysql.com"}, {"REPLACE('abc', '', 'x')", "abc"}, {"REVERSE('aé')", "éa"}, {"REPEAT('MySQL', 2)", "MySQLMySQL"}, {"REPEAT('a', -1)", ""}, {"REPEAT('a', 99999999)", "failed: the result is longer…"},
		{"LOCATE('bar', 'foobarbar')", "4"}, {"LOCATE('xbar', 'foobar')", "0"}, {"LOCATE('bar', 'foobarbar', 5)", "7"}, {"LOCATE('', 'a')", "1"}, {"INSTR('foobarbar', 'bar')", "4"}, {"SUBSTRING_INDEX('www.mysql.com', '.', 2)", "www.mysql"}, {"SUBSTRING_INDEX('www.mysql.com', '.', -2)", "mysql.com"}, {"SUBSTRING_INDEX('a', '.', 5)", "a"},
		{"HEX(255)", "FF"}, {"HEX('abc')", "616263"}, {"HEX(-1)", "FFFFFFFFFFFFFFFF"}, {"UNHEX('zz')", "NULL"}, {"ASCII('')", "0"}, {"SHA2('abc', 1)", "NULL"}, {"MD5('')", "d41d8cd98f00b204e9800998ecf8427e"}, {"UPPER(5)", "5"}, {"CHAR_LENGTH('日本')", "2"}, {"LENGTH('日本')", "6"}, {"FIELD(NULL, 'a')", "0"}, {"LENGTH(NULL)", "NULL"},
	})
}

func TestNumbers(t *testing.T) {
	check(t, [][2]string{
		{"ROUND(-1.23)", "-1"}, {"ROUND(-1.58)", "-2"}, {"ROUND(1.58)", "2"}, {"ROUND(1.298, 1)", "1.3"}, {"ROUND(1.298, 0)", "1"}, {"ROUND(23.298, -1)", "20"}, {"ROUND(2.5)", "3"}, {"ROUND(-2.5)", "-3"}, {"ROUND(25e-1)", "2"}, {"ROUND(35e-1)", "4"}, {"ROUND(125, -1)", "130"}, {"ROUND(125, 2)", "125"}, {"ROUND(1.5, 3)", "1.5"}, {"ROUND(99.5)", "100"}, {"ROUND(NULL)", "NULL"}, {"ROUND(1.255, 2 + 0)", "1.260"}, {"ROUND(9223372036854775807, -1)", "failed:…"},
		{"TRUNCATE(1.223, 1)", "1.2"}, {"TRUNCATE(1.999, 0)", "1"}, {"TRUNCATE(-1.999, 1)", "-1.9"}, {"TRUNCATE(122, -2)", "100"}, {"TRUNCATE(1.999e0, 1)", "1.9"}, {"CEILING(1.23)", "2"}, {"CEILING(-1.23)", "-1"}, {"FLOOR(1.23)", "1"}, {"FLOOR(-1.23)", "-2"}, {"FLOOR(-1e-1)", "-1"}, {"CEIL(5)", "5"}, {"FLOOR(-3.00)", "-3"}, {"CEIL(99999999999999999999.5)", "100000000000000000000"},
		{"ABS(-32)", "32"}, {"ABS(-9223372036854775808)", "failed:…"}, {"ABS(-1.5e0)", "1.5"}, {"SIGN(0)", "0"}, {"SIGN(234)", "1"}, {"MOD(234, 10)", "4"}, {"MOD(29, 0)", "NULL"}, {"MOD(34.5, 3)", "1.5"}, {"POWER(2, -2)", "0.25"}, {"SQRT(-16)", "NULL"}, {"SQRT(4)", "2"}, {"LN(0)", "NULL"}, {"LOG10(-1)", "NULL"}, {"LOG(1, 100)", "NULL"}, {"EXP(1000)", "failed: DOUBLE…"}, {"SQRT('4')", "refused: SQRT: '4' is VARCHAR, not a number…"}, {"ABS(NULL)", "NULL"},
	})
}

func TestDates(t *testing.T) {
	check(t, [][2]string{
		{"TIMESTAMP '2024-01-31 10:00:00' + INTERVAL 1 MONTH", "2024-02-29 10:00:00"}, {"DATE '2018-05-01' + INTERVAL 1 DAY", "2018-05-02"}, {"DATE '2020-12-31' + INTERVAL 1 SECOND", "2020-12-31 00:00:01"}, {"INTERVAL 1 DAY + DATE '2018-12-31'", "2019-01-01"}, {"DATE '2025-01-01' - INTERVAL 1 SECOND", "2024-12-31 23:59:59"}, {"'2018-12-31 23:59:59' + INTERVAL 1 SECOND", "2019-01-01 00:00:00"},
		{"DATE_SUB(TIMESTAMP '2018-05-01', INTERVAL 1 YEAR)", "2017-05-01 00:00:00"}, {"DATE '2024-02-29' + INTERVAL 1 YEAR", "2025-02-28"}, {"TIMESTAMP '2024-01-01' + INTERVAL '1.5' SECOND", "2024-01-01 00:00:01.500"}, {"TIMESTAMP '2024-01-01' + INTERVAL -1 DAYS", "2023-12-31 00:00:00"}, {"TIMESTAMP '9999-12-31' + INTERVAL 1 DAY", "failed:…"}, {"5 + INTERVAL 1 DAY", "refused:…"}, {"UPPER(INTERVAL 1 DAY)", "refused:…"}, {"TIMESTAMP '2024-01-01' + INTERVAL 1 EON", "refused: EON is not a unit…"}, {"TIMESTAMP '2024-01-01' + INTERVAL NULL DAY", "NULL"}, {"INTERVAL 1 DAY - DATE '2018-12-31'", "refused:…"},
		{"DATE_ADD(DATE '2024-01-01', 1 + 1, 'DAY')", "2024-01-03"}, {"DATE_SUB(DATE '2024-01-01', 1, 'DAY_HOUR')", "refused:…"}, {"ADDDATE(DATE '2024-01-01', 31)", "2024-02-01"}, {"DATE_ADD(DATE '2024-01-01', 5)", "refused:…"},
		{"TIMESTAMPDIFF('MONTH', '2003-02-01', '2003-05-01')", "3"}, {"TIMESTAMPDIFF('YEAR', '2002-05-01', '2001-01-01')", "-1"}, {"TIMESTAMPDIFF('MINUTE', '2003-02-01', '2003-05-01 12:05:55')", "128885"}, {"DATEDIFF('2007-12-31 23:59:59', '2007-12-30')", "1"}, {"DATEDIFF('2010-11-30 23:59:59', '2010-12-31')", "-31"},
		{"DATE_FORMAT('2009-10-04 22:23:00', '%W %M %Y')", "Sunday October 2009"}, {"DATE_FORMAT('2007-10-04 22:23:00', '%H:%i:%s')", "22:23:00"}, {"DATE_FORMAT('1900-10-04 22:23:00', '%D %y %a %d %m %b %j')", "4th 00 Thu 04 10 Oct 277"}, {"DATE_FORMAT('1997-10-04 22:23:00', '%H %k %I %r %T %S %w')", "22 22 10 10:23:00 PM 22:23:00 00 6"}, {"DATE_FORMAT('1999-01-01', '%X %V')", "1998 52"}, {"DATE_FORMAT('2006-06-01', '%x %v %%')", "2006 22 %"},
		{"STR_TO_DATE('01,5,2013', '%d,%m,%Y')", "2013-05-01"}, {"STR_TO_DATE('May 1, 2013', '%M %d,%Y')", "2013-05-01"}, {"STR_TO_DATE('abc', '%Y')", "NULL"}, {"STR_TO_DATE('2024-02-30', '%Y-%m-%d')", "NULL"}, {"STR_TO_DATE('10:11:12 PM 2024-01-02', '%r %Y-%m-%d')", "2024-01-02 22:11:12"},
		{"FROM_UNIXTIME(1447430881)", "2015-11-13 16:08:01"}, {"FROM_UNIXTIME(1447430881, '%Y')", "2015"}, {"FROM_UNIXTIME(1.5)", "1970-01-01 00:00:01.500"}, {"FROM_UNIXTIME(-1)", "failed:…"}, {"UNIX_TIMESTAMP('2015-11-13 16:08:01')", "1447430881"}, {"UNIX_TIMESTAMP('2015-11-13 16:08:01.25')", "1447430881.250"}, {"UNIX_TIMESTAMP()", "1893553445"},
		{"NOW()", "2030-01-02 03:04:05"}, {"NOW(3)", "2030-01-02 03:04:05.678"}, {"CURRENT_DATE()", "2030-01-02"}, {"YEAR('1987-01-01')", "1987"}, {"DAYOFYEAR('2007-02-03')", "34"}, {"WEEK('2008-02-20')", "7"}, {"WEEK('2008-02-20', 1)", "8"}, {"WEEK('2008-12-31', 1)", "53"}, {"WEEK('2000-01-01', 2)", "52"}, {"WEEKDAY('2008-02-03 22:23:00')", "6"}, {"DAYOFWEEK('2007-02-03')", "7"}, {"LAST_DAY('2003-02-05')", "2003-02-28"}, {"MICROSECOND('2019-12-31 23:59:59.000010')", "10"}, {"YEAR(5)", "refused: YEAR: 5 is BIGINT, not a date…"}, {"YEAR('x')", "refused:…"}, {"HOUR(TIME '272:59:59')", "272"}, {"SEC_TO_TIME(2378)", "00:39:38"}, {"TIME_TO_SEC('22:23:00')", "80580"}, {"EXTRACT('MONTH', DATE '2024-05-06')", "5"},
	})
}
