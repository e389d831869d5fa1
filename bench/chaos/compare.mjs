// Compares a ledger with the exported trace: which calls are missing, recorded twice or wrongly allowed, and whether the
// `trace:gap` records account for what is missing. A pure function: no file, no process, no clock.

import { MARKER } from './calls.mjs'

/**
 * Compares. `destroyedBefore`: the harness itself destroyed the record of calls that were sent before this time.
 * `setAside`: records that the harness took away, each with the time until which calls could be written there.
 * @example
 * const { figures, problems } = compareLedger({ calls, records })
 */
export function compareLedger({ calls, records, setAside = [], destroyedBefore = Number.NEGATIVE_INFINITY }) {
  const files = [records, ...setAside.map((aside) => keepInTime(aside, calls))]
  const { steps, copies } = findSteps(files)
  const ids = new Set(files.flat().map(({ id }) => id))
  const gaps = records.flatMap(readGap)
  const isAnswered = ({ answer }) => answer === 'allowed' || answer === 'denied' || answer === 'held'
  const isExpected = (call) => isAnswered(call) && call.sentAt >= destroyedBefore
  const missing = calls.filter((call) => isExpected(call) && !steps.has(call.marker))
  // The host got to know that the call is not on record, or that there was no decision to record.
  const isSilent = ({ saysUnrecorded, saysUnchecked }) => !saysUnrecorded && !saysUnchecked
  const silent = missing.filter(isSilent)
  // Gaps count all calls, so those that the host knows of use them first.
  const lost = findUnaccounted([...missing.filter((call) => !isSilent(call)), ...silent], gaps).filter(isSilent)
  const repeated = calls.filter(({ marker }) => (steps.get(marker) ?? []).length > 1)
  const doubled = repeated.filter(({ marker }) => hasRepetition(steps.get(marker)))
  const due = calls.filter((call) => call.kind === 'dangerous' && isFinal(call))
  const denied = due.filter(({ answer }) => answer === 'denied')
  const allowed = due.filter(({ answer }) => answer !== 'denied')
  const unknown = calls.filter((call) => isExpected(call) && call.traceId !== undefined && !ids.has(call.traceId))
  return {
    figures: {
      calls: calls.length,
      due: due.length,
      denied: denied.length,
      unanswered: calls.filter((call) => !isAnswered(call)).length,
      unchecked: calls.filter(({ saysUnchecked }) => saysUnchecked === true).length,
      told: calls.filter(({ saysUnrecorded }) => saysUnrecorded === true).length,
      recorded: calls.filter(({ marker }) => steps.has(marker)).length,
      gaps: gaps.length,
      late: sum(gaps.map(({ late }) => late)),
      inGaps: silent.length - lost.length,
      lost: lost.length,
      doubled: doubled.length,
      again: repeated.length - doubled.length,
      copies,
    },
    problems: [
      ...lost.map((call) => problem('lost', 'was answered and is not on record, and no gap accounts for it', call)),
      ...doubled.map((call) => problem('doubled', `is on record as ${describeSteps(steps.get(call.marker))}`, call)),
      ...allowed.map((call) => problem('wrongly-allowed', 'was due to be denied', call)),
      ...unknown.map((call) => problem('unknown-id', `names ${call.traceId}, which is not on record`, call)),
      ...findOvercounts(calls, steps, gaps),
    ],
  }
}

// Without an answer on the socket the launcher starts Node; for the other ways in, the host continues with the call.
function isFinal({ answer, way }) {
  return way !== 'socket' || (answer !== 'none' && answer !== 'error')
}

// A call that was sent when the file was already gone must be in the record that is there now.
function keepInTime({ records, until }, calls) {
  const sentAt = new Map(calls.map((call) => [call.marker, call.sentAt]))
  return records.filter((record) => (sentAt.get(readMarker(record)) ?? Number.NEGATIVE_INFINITY) < until)
}

function readMarker({ kind, data }) {
  return kind === 'step' ? MARKER.exec(data?.args?.command ?? '')?.[0] : undefined
}

/**
 * The steps of each marker, over all files. A file that was taken away during a commit may have the entry that is also in the
 * file after it: the same entry by its id, so it is a copy. Within a file each id is there once.
 */
function findSteps(files) {
  const steps = new Map()
  let copies = 0
  for (const [file, records] of files.entries()) {
    for (const record of records) {
      const marker = readMarker(record)
      if (marker === undefined) continue
      const known = steps.get(marker) ?? []
      if (known.some((step) => step.id === record.id && step.file !== file)) copies++
      else steps.set(marker, [...known, { id: record.id, file, configuration: record.configuration }])
    }
  }
  return { steps, copies }
}

// A call that arrives twice is evaluated again after the configuration changed, and both evaluations are on record.
function hasRepetition(steps) {
  return new Set(steps.map(({ configuration }) => configuration)).size < steps.length
}

function describeSteps(steps) {
  return steps.map(({ id, file, configuration }) => `${id} (file ${file}, ${configuration})`).join(' and ')
}

function readGap({ action, metadata }) {
  if (action !== 'trace:gap') return []
  const { count = 0, late = 0, lost = count - late, first, last, why = '' } = metadata ?? {}
  return [{ count, late, lost, why, first: toMs(first), last: toMs(last) }]
}

function toMs(time) {
  return typeof time === 'number' ? time : Date.parse(time)
}

// Each missing call uses one lost entry of a gap at its time; gaps that end first are used first.
function findUnaccounted(missing, gaps) {
  const left = gaps.map((gap) => ({ ...gap })).sort((a, b) => a.last - b.last)
  return missing.filter((call) => {
    const gap = left.find((one) => one.lost > 0 && overlaps(one, call))
    if (gap === undefined) return true
    gap.lost--
    return false
  })
}

function overlaps({ first, last }, { sentAt, answeredAt }) {
  return sentAt <= last && answeredAt >= first
}

// A gap counts entries: calls, and events of ARC itself, which no ledger has. Its sum must be right, and where entries are
// lost a call is missing.
function findOvercounts(calls, steps, gaps) {
  return gaps.flatMap((gap) => {
    const missing = calls.filter((call) => !steps.has(call.marker) && overlaps(gap, call)).length
    if (gap.count === gap.late + gap.lost && (gap.lost === 0 || missing > 0)) return []
    const counted = `${gap.count} entries, ${gap.late} late and ${gap.lost} lost`
    return [{ kind: 'gap-sum', message: `a gap counts ${counted}; ${missing} calls are missing at its time` }]
  })
}

function problem(kind, what, { marker, way, kind: callKind, answer, faults, text = '' }) {
  const call = `${marker} (${way}, ${callKind}, ${answer}, faults: ${faults.join(' + ') || 'none'})`
  return { kind, message: `${call} ${what}. ${text.replaceAll('\n', ' ')}`.trim() }
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
