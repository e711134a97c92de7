package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/streamsql-go/streamsql/tests/story"
)

func (a *app) testCommand() *cobra.Command {
	var regimes string
	var seed int64
	cmd := &cobra.Command{
		Use: "test file.sql|directory…", Short: "Run test files: no broker, no waiting",
		Long: `Run the tests of files, or of all .sql files with a --@test: line below directories. A test has a simulated cluster and a
clock of its own, so that it never waits. --regimes=all runs each of them under every regime: other batch sizes and
commit points, crashes, several instances, more partitions, little memory. The answer must stay the same.`,
		Example: `  streamsql test examples
  streamsql test --regimes=all --seed=7 job_test.sql`,
		Args: needsFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return a.test(cmd.Context(), args, regimes, seed) },
	}
	cmd.Flags().StringVar(&regimes, "regimes", "", "`names` separated by commas, or all (default: the plain one)")
	cmd.Flags().Int64Var(&seed, "seed", 1, "of what is drawn by lot")
	return cmd
}

func (a *app) test(ctx context.Context, paths []string, names string, seed int64) error {
	regimes, err := story.Named(names, seed)
	if err != nil {
		return usagef("%v", err)
	}
	files, err := testFiles(paths)
	if err != nil {
		return usagef("%v", err)
	}
	ctx, release := stoppable(ctx)
	defer release()
	passed, failed := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return usagef("%v", err)
		}
		report, err := story.Run(ctx, f, string(text), regimes)
		if err != nil {
			return err
		}
		report.Write(a.stdout)
		p, n := count(report)
		passed, failed = passed+p, failed+n
	}
	fmt.Fprintf(a.stdout, "%d passed, %d failed\n", passed, failed)
	switch {
	case failed > 0:
		return failure{exitFailure}
	case passed == 0:
		return usagef("no tests in %s: a test begins with a line --@test: name", strings.Join(paths, " "))
	}
	return nil
}

// count counts tests: one that failed under any regime has failed.
func count(r *story.Report) (passed, failed int) {
	bad := map[int]bool{}
	for _, x := range r.Results {
		bad[x.Line] = bad[x.Line] || x.Failure != ""
	}
	for _, b := range bad {
		if b {
			failed++
		} else {
			passed++
		}
	}
	return passed, failed
}

// testFiles are the files named, and those with tests below the directories named. dir/... is dir.
func testFiles(paths []string) ([]string, error) {
	var out []string
	for _, p := range paths {
		p = filepath.Clean(strings.TrimSuffix(p, "..."))
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		err = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".sql" {
				return err
			}
			text, err := os.ReadFile(name)
			if err == nil && strings.Contains("\n"+string(text), "\n--@test:") {
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
