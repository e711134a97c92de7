//go:build page

package page_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	_ "github.com/streamsql-go/streamsql/connectors/format/json"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/web"
)

const job = `CREATE STREAM orders (id VARCHAR, customer VARCHAR, amount INT) WITH (topic = 'orders', partitions = 3);
	CREATE TABLE totals AS SELECT customer, COUNT(*) AS n, SUM(amount) AS total FROM orders WHERE amount > 0 GROUP BY customer;
	INSERT INTO orders VALUES ('o1', 'c1', 5), ('o2', 'c2', 7), ('o3', 'c1', 0);`

// browser is a tab beside a running engine.
func browser(t *testing.T, o web.Options) (ctx context.Context, address string, e *streamsql.Engine) {
	t.Helper()
	e, err := streamsql.Open(t.Context(), streamsql.Options{Shuffle: streamsql.ShuffleTopic})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(web.Handler(e, o))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close(); _ = e.Close() })
	if err := e.Exec(t.Context(), job); err != nil {
		t.Fatal(err)
	}
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1300, 1000))...)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil { // the browser lives as long as the context of the first call
		t.Fatal(err)
	}
	ctx, late := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(late)
	return ctx, srv.URL, e
}

type step = chromedp.Action[chromedp.Void]

// script evaluates an expression of JavaScript in the page.
func script[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// do runs actions and, when PAGE_SHOTS names a directory, keeps a picture of what they led to.
func do(t *testing.T, ctx context.Context, shot string, actions ...step) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatalf("%s: %v", shot, err)
	}
	dir := os.Getenv("PAGE_SHOTS")
	if dir == "" || shot == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, shot+".png"), png, 0o600); err != nil {
		t.Fatal(err)
	}
}

// says waits until an element's text holds all parts.
func says(selector string, parts ...string) step {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		look := chromedp.Evaluate[string](fmt.Sprintf("[...document.querySelectorAll(%q)].map((e) => e.textContent).join('\\n')", selector))
		var text string
		for ctx.Err() == nil {
			var err error
			text, err = look(ctx, tab)
			if err == nil && !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(text, p) }) {
				return chromedp.Void{}, nil
			}
			time.Sleep(100 * time.Millisecond)
		}
		return chromedp.Void{}, fmt.Errorf("%s says %q, want %q", selector, text, parts)
	}
}

// press clicks the button of a name.
func press(name string) step {
	return func(ctx context.Context, tab *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Evaluate[bool](fmt.Sprintf("[...document.querySelectorAll('button')].find((b) => b.textContent.startsWith(%q)).click() ?? true", name))(ctx, tab)
		return chromedp.Void{}, err
	}
}

func TestQueries(t *testing.T) {
	ctx, address, _ := browser(t, web.Options{})
	do(t, ctx, "queries", chromedp.Navigate(address), says("main td", "totals", "RUNNING", "3 in, 2 out"), says("#strip", "1 query ·"))
	do(t, ctx, "", chromedp.Click("main td a"), says("h1", "totals", "RUNNING"))
}

// A query's page: the plan with its numbers, the reason of a shuffle, sources, SQL, and rows as they come.
func TestQuery(t *testing.T) {
	ctx, address, e := browser(t, web.Options{})
	do(t, ctx, "query", chromedp.Navigate(address+"/#/q/totals"),
		says(".sentence", "3 in, 2 out"), says("svg", "Scan orders", "Filter amount > 0", "3 rows", "2 rows"), says("main td", "orders/0", "orders/2"), says("pre", "CREATE TABLE totals AS SELECT"))
	script[bool](t, ctx, `document.querySelector("svg g.moves").dispatchEvent(new Event("click"))`)
	do(t, ctx, "facts", says("ul.facts", "why:"))
	if err := e.Exec(ctx, "INSERT INTO orders VALUES ('o4', 'c9', 11)"); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, "rows", says(".rows td", "c9", "11"), says("main", "4 in"))
	if script[bool](t, ctx, `[...document.querySelectorAll("main button")].some((b) => b.offsetParent)`) {
		t.Error("a read-only page offers to stop queries")
	}
	// On a phone nothing is wider than the screen.
	do(t, ctx, "phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), chromedp.Sleep(300*time.Millisecond))
	if script[bool](t, ctx, `document.documentElement.scrollWidth > 390`) {
		t.Error("the page is wider than a phone")
	}
}

// What is computed once and read twice is one box with two ways out.
func TestSharedPart(t *testing.T) {
	ctx, address, e := browser(t, web.Options{})
	if err := e.Exec(ctx, `CREATE TABLE twice AS WITH sums AS (SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer)
		SELECT a.customer, a.total, b.total AS again FROM sums a JOIN sums b ON a.customer = b.customer`); err != nil {
		t.Fatal(err)
	}
	do(t, ctx, "shared", chromedp.Navigate(address+"/#/q/twice"), says("svg", "Shared 1", "Table join"))
	if n := script[int](t, ctx, `[...document.querySelectorAll("svg g title")].filter((e) => e.textContent.startsWith("Shared 1")).length`); n != 1 {
		t.Errorf("the shared part is drawn %d times", n)
	}
}

func TestStopping(t *testing.T) {
	ctx, address, e := browser(t, web.Options{Write: true})
	do(t, ctx, "", chromedp.Navigate(address+"/#/q/totals"), says("h1", "RUNNING"), press("pause"), says("h1", "PAUSED"),
		press("terminate"), says("h1", "STOPPED"))
	if q, err := e.Lookup("totals"); err != nil || q.State() != streamsql.Stopped {
		t.Error(q, err)
	}
}

// The editor completes by keyboard, shows rows, and the mistake with its place.
func TestEditor(t *testing.T) {
	ctx, address, _ := browser(t, web.Options{})
	do(t, ctx, "", chromedp.Navigate(address+"/#/sql"), chromedp.WaitVisible("textarea"), chromedp.Sleep(500*time.Millisecond),
		chromedp.SendKeys("textarea", "SELECT * FROM ord"), says("ul.options li", "orders"), chromedp.SendKeys("textarea", "\t"))
	text := script[string](t, ctx, `document.querySelector("textarea").value`)
	do(t, ctx, "sql", chromedp.SendKeys("textarea", " LIMIT 3"), press("Run"), says(".rows td", "o1", "o2", "o3"), says("main p", "3 rows; it ended"))
	if text != "SELECT * FROM orders" {
		t.Errorf("completed to %q", text)
	}
	do(t, ctx, "mistake", chromedp.SetValue("textarea", "SELECT nam FROM orders LIMIT 1"), press("Run"), says("p.error", "nam"))
	do(t, ctx, "", chromedp.SetValue("textarea", "DROP STREAM orders"), press("Run"), says("p.error", "read-only"))
}

// What is sent is small: no build step, no library.
func TestSize(t *testing.T) {
	files, err := filepath.Glob("../../web/assets/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var n int64
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	if n > 100_000 {
		t.Errorf("the page has %d bytes", n)
	}
}
