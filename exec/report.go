package exec

import "time"

// OnStats has f called with the job's figures from Step, at most once per interval.
func (j *Job) OnStats(every time.Duration, f func(Stats)) {
	j.report.every, j.report.f = every.Microseconds(), f
}

type reporter struct {
	every, last int64
	f           func(Stats)
}

func (j *Job) tell() {
	if j.report.f == nil {
		return
	}
	if now := j.cfg.now(); now-j.report.last >= j.report.every {
		j.report.last = now
		j.report.f(j.Stats())
	}
}
