// What happened during a soak: counts, what was acknowledged and so must be on record, and what must not have happened.

const MAX_PROBLEMS = 30

export class Ledger {
  counts = {}
  figures = {}
  problems = []
  /** Tool calls whose answer was that they may run: each must have its record. */
  acknowledged = new Set()
  /** Ids that a denial named. */
  named = new Set()

  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  complain(problem) {
    this.count('problems')
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem)
  }
}
