// Package storage keeps the state of a task: what its operators know about the rows seen so far, in memory under a budget,
// on local disk (Pebble) beyond it, and in changelog topics for the day the disk is gone. It knows no broker: the task reads
// the changelog and hands it in (Apply), and sends what changed (Changes).
//
// An epoch is what a task does between two commits. Within it operators read and write the states; at its end the task
// calls Changes, commits one Kafka transaction with what that emitted, and calls Commit with the ends of the changelog
// partitions. Six decisions shape the rest:
//
// Abort is a crash of the task in place. There is no undo. Writes of the open epoch are in memory only; after an abort the
// store is Discarded, opened again and replayed from Position. One code path serves crash and abort.
//
// Write-behind. Memory is written to Pebble (its WAL is off) only at a flush: at a Commit when enough is dirty or enough
// time has passed, and at Close. A flush is one batch of all that changed, with the meta record and the changelog
// positions, so that Pebble is always a prefix of the committed epochs. A crash loses the tail, which the changelog has.
// Windows that opened and closed between two flushes never touch the disk.
//
// The memory layer is the read cache. A table of entries knows whether it is complete, that is, holds every live entry:
// then a miss is the answer. When the budget is exceeded the store flushes, evicts what is clean and reads Pebble for
// what it misses. Sorted knows the same of each group, and Pebble's filters tell which groups it does not have. Versions
// with a history and the rows of a Queue are never evicted: the operators bound them.
//
// A disk that fails ends the store, not the process: every call that needs it returns a *DiskError from then on. A full disk
// is given Options.FullFor to have space again; until then nothing is written or evicted and memory grows. Flush and Close
// wait no longer than Options.Patience for a disk: what does not end in time is left alone.
//
// The changelog has two forms. Compacted (Map, Versions, Sorted): one record per changed key and epoch, a nil value removes
// it. Packed (Windows, Queue): records of many entries, for a topic with cleanup.policy=delete and retention.ms=-1 that the
// engine trims to Trim. A key changed several times within an epoch is logged once, one that came and went not at all.
//
// The meta record (positions, watermarks, counters: bytes of the task) is logged by every epoch in the changelog of the
// first state, so trimming never removes the last one.
package storage
