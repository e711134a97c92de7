package exec

import "fmt"

func (j *Job) DebugDump() string {
	s := fmt.Sprintf("gen %d done %v run %d ends %v finished %v wanted %v\n", j.gen, j.done, j.run.number, j.run.ends, j.run.finished, j.wanted)
	for _, t := range j.tasks {
		s += fmt.Sprintf("  task %s finished=%v dirty=%v info=%+v\n", t.ID, t.Finished(), t.Dirty(), t.Info())
		for _, p := range t.Inputs() {
			at, ok := t.Position(p)
			s += fmt.Sprintf("    %v at %d %v\n", p, at, ok)
		}
	}
	return s
}
