package streamsql_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"math"
	"strings"

	"github.com/streamsql-go/streamsql"
)

// show runs a bounded query and prints its rows.
func show(eng *streamsql.Engine, sql string) {
	rows, err := eng.QueryUntil(context.Background(), sql, streamsql.UntilEnd)
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range rows.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Text(0), row.Text(1))
	}
}

// A Go function in SQL: its types follow from Go's, and a nil pointer is NULL.
func ExampleEngine_RegisterFunction() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	err = eng.RegisterFunction("domain", func(address string) *string {
		_, domain, ok := strings.Cut(address, "@")
		if !ok {
			return nil
		}
		return &domain
	}, streamsql.Describe("What stands behind the @ of an address."))
	if err != nil {
		log.Fatal(err)
	}
	if err := eng.Exec(ctx, `CREATE STREAM mails (sender VARCHAR) WITH (topic = 'mails', partitions = 1); INSERT INTO mails VALUES ('ann@example.org'), ('nobody');`); err != nil {
		log.Fatal(err)
	}
	show(eng, "SELECT sender, DOMAIN(sender) AS d FROM mails")
	// Output:
	// ann@example.org example.org
	// nobody NULL
}

// A table function makes rows of one; the fields of what it yields are columns.
func ExampleEngine_RegisterTableFunction() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	type word struct {
		Text string `json:"text"`
		At   int    `json:"at"`
	}
	err = eng.RegisterTableFunction("words", func(line string) iter.Seq[word] {
		return func(yield func(word) bool) {
			for i, text := range strings.Fields(line) {
				if !yield(word{text, i}) {
					return
				}
			}
		}
	}, streamsql.Describe("A row of each word."))
	if err != nil {
		log.Fatal(err)
	}
	if err := eng.Exec(ctx, `CREATE STREAM s (line VARCHAR) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('to be or'), (''), ('not');`); err != nil {
		log.Fatal(err)
	}
	show(eng, "SELECT w.text, w.at FROM s CROSS JOIN WORDS(s.line) AS w")
	// Output:
	// to 0
	// be 1
	// or 2
	// not 0
}

// SQL types that Go has none of are taken as Values, with a signature that says which.
func ExampleSignature() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	err = eng.RegisterFunction("larger", func(a, b streamsql.Value) streamsql.Value {
		if a.IsNull() || b.IsNull() {
			return streamsql.Value{}
		}
		if a.Float() > b.Float() {
			return a
		}
		return b
	}, streamsql.Signature("(DECIMAL(12,2), DECIMAL(12,2)) -> DECIMAL(12,2)"))
	if err != nil {
		log.Fatal(err)
	}
	if err := eng.Exec(ctx, `CREATE STREAM s (id VARCHAR, a DECIMAL(12,2)) WITH (topic = 's', partitions = 1); INSERT INTO s VALUES ('x', 1.50), ('y', NULL);`); err != nil {
		log.Fatal(err)
	}
	show(eng, "SELECT id, LARGER(a, 1) AS m FROM s")
	// Output:
	// x 1.50
	// y NULL
}

// geometricMean is the state of an aggregate.
type geometricMean struct {
	N   int64
	Log float64
}

func (g *geometricMean) Add(x float64)              { g.N++; g.Log += math.Log(x) }
func (g *geometricMean) Merge(other *geometricMean) { g.N += other.N; g.Log += other.Log }
func (g *geometricMean) Result() (mean float64)     { return math.Exp(g.Log / float64(g.N)) }

// An aggregate is a Go type with the methods Add, Merge and Result.
func ExampleEngine_RegisterAggregate() {
	ctx := context.Background()
	eng, err := streamsql.Open(ctx, streamsql.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer eng.Close()
	if err := eng.RegisterAggregate("geomean", func() *geometricMean { return &geometricMean{} }); err != nil {
		log.Fatal(err)
	}
	err = eng.Exec(ctx, `CREATE STREAM s (id VARCHAR, x DOUBLE) WITH (topic = 's', partitions = 1);
		INSERT INTO s (id, x, _timestamp) VALUES ('a', 2, 1000), ('a', 8, 2000), ('b', 5, 3000);`)
	if err != nil {
		log.Fatal(err)
	}
	show(eng, "SELECT id, ROUND(GEOMEAN(x), 3) AS m FROM s WINDOW TUMBLING(10s) GROUP BY id EMIT FINAL")
	// Unordered output:
	// a 4
	// b 5
}
