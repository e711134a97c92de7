package streamsql_test

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql"
)

func TestDrop(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's'); CREATE TABLE t (id VARCHAR PRIMARY KEY) WITH (topic = 't'); CREATE STREAM o AS SELECT id FROM s;")
	l.refuses("DROP STREAM s", "s is used by query o", "TERMINATE o first")
	l.refuses("DROP STREAM o", "o is used by query o")
	l.refuses("DROP STREAM t", "t is a TABLE", "DROP TABLE t")
	l.refuses("DROP STREAM x", "unknown stream x", "IF EXISTS")
	var message string
	for r, err := range l.Run(l.ctx, "", "DROP STREAM IF EXISTS x", streamsql.Endless) {
		if message = r.Message; err != nil {
			t.Fatal(err)
		}
	}
	if message != "there was nothing to drop" {
		t.Error(message)
	}
	l.exec("TERMINATE o; DROP STREAM o; DROP STREAM IF EXISTS S, x; DROP TABLE t")
	l.wants("SHOW STREAMS")
	l.wants("SHOW TABLES")
}

func TestCreateTwice(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR) WITH (topic = 's'); CREATE STREAM IF NOT EXISTS s (other INT) WITH (topic = 'x')")
	l.wants("DESCRIBE s", "id VARCHAR ")
	twice := "CREATE STREAM s (id INT) WITH (topic = 's')"
	l.refuses(twice, "stream s exists already", "CREATE OR REPLACE")
	l.exec("CREATE OR REPLACE STREAM s (id INT) WITH (topic = 's')")
	l.wants("DESCRIBE s", "id INT ")
	if errs := streamsql.Check("", twice+";"+twice+";", nil); len(errs) != 1 || !strings.Contains(errs[0].Error(), "exists already") {
		t.Errorf("%v", errs)
	}
	l.exec("CREATE STREAM o AS SELECT id FROM s")
	l.refuses("CREATE OR REPLACE STREAM o AS SELECT id + 1 AS id FROM s", "o is used by query o", "TERMINATE o")
	l.exec("TERMINATE o")
}

func TestUnknownNames(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM clicks (id VARCHAR) WITH (topic = 'clicks')")
	l.refuses("INSERT INTO click VALUES ('a')", "unknown stream or table click", "did you mean clicks?")
	for _, sql := range []string{"DESCRIBE click", "SHOW CREATE STREAM click", "SELECT id FROM click"} {
		if _, err := l.Query(l.ctx, sql); err == nil || !strings.Contains(err.Error(), "did you mean clicks?") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// A compacted topic takes no record without a key.
func TestInsertWithoutKey(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE TABLE t (id VARCHAR PRIMARY KEY, n INT) WITH (topic = 't', partitions = 1, key = 'id')")
	l.refuses("INSERT INTO t VALUES ('a', 1), (NULL, 2)", "the key id is NULL")
	l.exec("INSERT INTO t VALUES ('a', 1)")
}

func TestViews(t *testing.T) {
	l := open(t, streamsql.Options{})
	l.exec("CREATE STREAM s (id VARCHAR, n INT) WITH (topic = 's'); CREATE VIEW big (who, much) AS SELECT id, n FROM s WHERE n > 10;")
	l.wants("SHOW VIEWS", "big 2 CREATE VIEW big (who, much) AS SELECT id, n FROM s WHERE n > 10")
	l.wants("DESCRIBE big", "who VARCHAR ", "much INT ")
	l.exec("INSERT INTO s VALUES ('a', 5), ('b', 50)")
	l.wants("SELECT who, much FROM big", "b 50")
	l.refuses("INSERT INTO big VALUES ('c', 1)", "big is a view")
	l.refuses("CREATE STREAM big (id VARCHAR) WITH (topic = 'x')", "view big exists already")
	l.exec("CREATE VIEW bigger AS SELECT who FROM big WHERE much > 100")
	l.refuses("DROP STREAM S", "S is read by view big", "DROP VIEW big first")
	l.refuses("DROP VIEW big", "big is read by view bigger")
	const script = "CREATE STREAM s (id VARCHAR) WITH (topic = 's'); CREATE VIEW v AS SELECT id FROM s; "
	if errs := streamsql.Check("", script+"DROP STREAM s;", nil); len(errs) != 1 || !strings.Contains(errs[0].Error(), "s is read by view v") {
		t.Errorf("%v", errs)
	}
	if errs := streamsql.Check("", script+"DROP VIEW v; DROP STREAM s;", nil); len(errs) != 0 {
		t.Errorf("%v", errs)
	}
	l.exec("DROP VIEW bigger; DROP VIEW big; DROP STREAM s")
}

// TestCheckLeavesOutWhatFollows: a name whose CREATE is wrong is not reported as missing, in any case of letters.
func TestCheckLeavesOutWhatFollows(t *testing.T) {
	errs := streamsql.Check("f.sql", `CREATE STREAM Src (id VARCHAR) WITH (topic = 's', nonsense = 1);
CREATE STREAM broken AS SELEC x;
CREATE STREAM o AS SELECT id FROM src;
INSERT INTO SRC VALUES ('a');
SELECT id FROM Broken;
SELECT id FROM o;
SELECT id FROM nowhere;`, nil)
	var got []string
	for _, e := range errs {
		line, _ := e.Place()
		got = append(got, string(rune('0'+line)))
	}
	if strings.Join(got, "") != "127" {
		t.Errorf("mistakes in lines %v: %v", got, errs)
	}
}
