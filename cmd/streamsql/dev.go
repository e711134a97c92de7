package main

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"
)

//go:embed dev.sql
var devSQL string

func (a *app) devCommand() *cobra.Command {
	var length time.Duration
	cmd := &cobra.Command{
		Use: "dev", Short: "See it work: a broker in this process, generated input, two queries and their rows",
		Long: `Start a broker in this process, make up rows, and run two queries over them: a deduplication by windows over a column that
is not the Kafka key, and a join of a stream with a table. Rows and watermarks show until Ctrl-C. While it runs, another
terminal can look at the same topics: streamsql -b with the address that is shown.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("dev: what is %q? It takes no arguments (streamsql dev --help)", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dev(cmd.Context(), length) },
	}
	cmd.Flags().DurationVar(&length, "for", 0, "end after this `time`, such as 5s (default: until Ctrl-C)")
	return cmd
}

// shownQueries are the results that dev shows.
var shownQueries = [...]string{"deduplicated", "enriched"}

func (a *app) dev(ctx context.Context, length time.Duration) error {
	if len(a.config.options.Brokers) > 0 {
		return usagef("dev has a broker of its own: leave -b out")
	}
	a.config.options.Name = "dev"
	if a.config.http.address == "" {
		a.config.http.address = freeAddress(pageAddress)
	}
	ctx, release := stoppable(ctx)
	defer release()
	if length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, length, context.Canceled)
		defer cancel()
	}
	s, err := a.open(ctx)
	if err != nil {
		return err
	}
	return s.end(a.demonstrate(s))
}

// pageAddress is where the page of dev is.
const pageAddress = "127.0.0.1:8089"

// freeAddress is an address, or one with any port when another process has it.
func freeAddress(address string) string {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "127.0.0.1:0"
	}
	_ = l.Close()
	return address
}

func (a *app) demonstrate(s *session) error {
	fmt.Fprint(a.stdout, devSQL, "\n")
	l, err := s.Load(s.ctx, "dev.sql", devSQL, streamsql.Endless)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "-- runs on %s: streamsql -b %s in another terminal; the page is %s; Ctrl-C ends\n", a.cluster(s), s.Address(), a.page)
	var (
		mu sync.Mutex
		wg sync.WaitGroup
	)
	errs := make(chan error, len(shownQueries)+1)
	for _, name := range shownQueries {
		rows, err := s.Query(s.ctx, "SELECT * FROM "+name)
		if err != nil {
			return err
		}
		wg.Go(func() { errs <- a.label(&mu, name, rows) })
	}
	wg.Go(func() { a.watermarks(s.ctx, &mu, l.Queries) })
	go func() { errs <- wait(s.ctx, l.Queries) }()
	err = <-errs
	if s.ctx.Err() == nil && err == nil {
		<-s.ctx.Done()
	}
	_ = s.close()
	wg.Wait()
	return err
}

// label prints rows behind the name of their result, at most perSecond of them a second: the rest is counted.
func (a *app) label(mu *sync.Mutex, name string, rows *streamsql.Rows) error {
	const perSecond = 4
	enc, err := streamsql.NewRowEncoder(rows.Columns())
	if err != nil {
		return err
	}
	var (
		buf    []byte
		second int64
		shown  int
	)
	for row, err := range rows.All() {
		if err != nil {
			return ended(err)
		}
		if now := time.Now().Unix(); now != second {
			second, shown = now, 0
		}
		if shown++; shown > perSecond {
			continue
		}
		if buf, err = enc.Append(buf[:0], row); err != nil {
			return err
		}
		mu.Lock()
		fmt.Fprintf(a.stdout, "%-12s  %s\n", name, buf)
		mu.Unlock()
	}
	return nil
}

// watermarks prints a line per query and second.
func (a *app) watermarks(ctx context.Context, mu *sync.Mutex, queries []*streamsql.Query) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		mu.Lock()
		for _, q := range queries {
			st := q.Stats()
			watermark := "-"
			if st.Tasks > 0 {
				watermark = streamsql.Instant(st.Watermark)
			}
			fmt.Fprintf(a.stdout, "-- %-12s %s in, %s out, watermark %s\n", q.Name(), render.Grouped(st.In), render.Grouped(st.Out), watermark)
		}
		mu.Unlock()
	}
}
