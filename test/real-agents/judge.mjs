// Verdicts on what a run showed, as sentences; an empty list when all is well.

const STOPPING = ['block', 'ask']

/** Agents wrap and indent what a hook says. */
export function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim()
}

/** The results of calls as the model got them; JSON inside JSON is unescaped. */
export function toldTo(run) {
  const text = run.results.join('\n')
  return oneLine(`${text}\n${text.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\\\', '\\')}`)
}

/** The client came to its tool calls and ended. */
export function judgeRun(seen, at = 0) {
  const run = seen.runs[at]
  if (run === undefined) return [`there is no run ${at + 1}`]
  if (run.isLate) return ['the agent did not finish in time']
  return run.calls.length === 0 ? [`the agent never called a tool (exit ${run.exitCode})`] : []
}

/** Records of a hook or point that have these fields; a list means one of its values. */
export function findRecords(seen, fields) {
  const isWanted = (record) => Object.entries(fields).every(([key, wanted]) => [wanted].flat().includes(record[key]))
  return seen.records.filter(isWanted)
}

/** All records carry the name of the host. */
export function judgeHosts(seen) {
  const foreign = seen.records.find(({ host }) => host !== undefined && host !== seen.host)
  return foreign === undefined ? [] : [`a record has host ${JSON.stringify(foreign.host)}`]
}

/** The call was stopped: on record as applied, and the model got the reason, or the run ended. */
export function judgeStopped(seen, client, { at = 0, fields = { point: 'pre:tool' } } = {}) {
  const stops = findRecords(seen, { decision: STOPPING, applied: true, ...fields })
  if (stops.length === 0) return [`no record of a stop with ${JSON.stringify(fields)}`]
  const reasons = stops.flatMap(({ reason }) => (reason ? [oneLine(reason)] : []))
  if (reasons.length === 0) return ['the record of the stop has no reason']
  const run = seen.runs[at]
  if (client.told === 'ends')
    return run.results.length === 0 && /aborted/.test(run.output) ? [] : ['the agent was not told to end the run']
  const told = toldTo(run)
  return reasons.some((reason) => told.includes(reason))
    ? []
    : [`the model was not told the reason, but: ${told.slice(0, 160)}`]
}

/** The call ran: the model got a result, nothing is on record as stopped, and the user's own hook fired. */
export function judgeRan(seen, client, at = 0) {
  const wrong = []
  if (seen.runs[at].results.length === 0) wrong.push('the model got no result')
  if (findRecords(seen, { decision: STOPPING, applied: true }).length > 0)
    wrong.push('a record says that it was stopped')
  if (client.ownHook && !seen.isOwnHookRun) wrong.push("the user's own hook did not fire")
  return wrong
}

/** A file changed, or did not. */
export function judgeFile(seen, file, expected, at) {
  const before = seen.before[file]
  const after = at === undefined ? seen.after[file] : seen.runs[at].proofs[file]
  if ('kept' in expected) return after === before && before !== null ? [] : [`${file} is not as it was`]
  if ('absent' in expected) return after === null ? [] : [`${file} exists`]
  if ('exists' in expected) return after !== null && before === null ? [] : [`${file} was not created`]
  if (before?.trimEnd() === expected.text) return [`${file} had this text before: it proves nothing`]
  return after?.trimEnd() === expected.text ? [] : [`${file} is ${JSON.stringify(after?.slice(0, 80) ?? null)}`]
}
