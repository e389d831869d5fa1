// The table of a run.

const COLUMNS = {
  calls: ({ calls }) => calls,
  'due/denied': ({ due, denied }) => `${due}/${denied}`,
  recorded: ({ recorded }) => recorded,
  'no answer': ({ unanswered }) => unanswered,
  unchecked: ({ unchecked }) => unchecked,
  'said unrec.': ({ told }) => told,
  gaps: ({ gaps }) => gaps,
  late: ({ late }) => late,
  'in gaps': ({ inGaps }) => inGaps,
  lost: ({ lost }) => lost,
  double: ({ doubled }) => doubled,
  again: ({ again }) => again,
  copies: ({ copies }) => copies,
  'back after': ({ recovery: { ms, by } }) => `${(ms / 1_000).toFixed(1)} s${by === 'hooks' ? '' : '*'}`,
}
const MAX_PROBLEMS = 3

export function printHead({ seed, skipped }) {
  process.stdout.write(`chaos: seed ${seed}\n`)
  if (skipped.length > 0) process.stdout.write(`skipped, they need root: ${skipped.join(', ')}\n`)
  printRow('fault', [...Object.keys(COLUMNS), 'verify', ''])
}

/** A star after the time: a person had to start the daemon. */
export function printRound({ faults, figures, verify, ok, problems }) {
  const cells = Object.values(COLUMNS).map((read) => String(read(figures)))
  printRow(faults.join(' + '), [...cells, verify, ok ? 'ok' : `FAILED ${countKinds(problems)}`])
}

export function printProblems(results) {
  for (const { faults, problems, folder } of results) {
    const shown = new Map()
    for (const { kind, message } of problems) {
      shown.set(kind, (shown.get(kind) ?? 0) + 1)
      if (shown.get(kind) <= MAX_PROBLEMS)
        process.stdout.write(`PROBLEM ${faults.join(' + ')} [${kind}] ${message} (${folder})\n`)
    }
  }
}

function countKinds(problems) {
  const counts = {}
  for (const { kind } of problems) counts[kind] = (counts[kind] ?? 0) + 1
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')
}

function printRow(name, cells) {
  process.stdout.write(`${name.padEnd(38)}${cells.map((cell) => ` ${cell.padStart(11)}`).join('')}\n`)
}
