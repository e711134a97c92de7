// Package story runs test files (docs/sql.md): one text of DDL, records, restarts and asserts. Each test runs in a world
// of its own: a simulated cluster, state in memory, and a clock that stands at 2030-01-01T00:00:00Z until somebody moves it.
//
// Inserts take effect at once. An assert, RESTART, CRASH or ADVANCE TIME first drains: every instance steps, in an order
// drawn by the seed, until none has anything to do; the clock moves in the meantime by 600 ms (2.4 s when a query joins
// a table, which waits for WITHIN), what commit intervals and throttled control records need; twice that under faults. Only ADVANCE TIME
// moves it further, in small steps with draining between them.
//
// Queries start at the first drain, so what was inserted before is a backlog. Under a Regime the same test runs with
// other poll sizes, commit cuts, crashes, instances and partition counts, and must give the same answer.
//
// Besides --@test: and --@expect.error: there is --@until: end, which runs the queries of the test as bounded runs over
// what was inserted before the first drain.
//
// ASSERT VALUES takes rows away from what the target received: each expected row must be there once, each column that
// is named must be equal, all others are free. ASSERT NO MORE VALUES fails if something is left. A removed row shows as
// its key columns and NULLs. IN ORDER: rows with the same key arrived in the order given.
package story
