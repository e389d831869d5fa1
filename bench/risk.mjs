// `node bench/risk.mjs [--json]`: how well and how fast the risk classifier rates labelled shell commands,
// next to cc-safety-net's library on the same commands in the same run. Without the corpus only the speed is measured, on
// the rules' own examples.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkCommand } from 'cc-safety-net/api'
import { classifyRisk, decide, RULE_PACKS } from '../dist/risk.js'

const CORPUS = new URL('../../shared/corpus/commands.jsonl', import.meta.url)
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DECOYS = new Set(['text-mention', 'heredoc-data', 'query-help', 'substring', 'evasion-decoy', 'find-safe'])
const PROJECT = '/srv/project'

const LIMITS = {
  recall: 0.97,
  hardRecall: 0.9,
  falsePositives: 0.02,
  decoyFalsePositives: 0.02,
  medianUs: 60,
  slowestMs: 3,
  timesFaster: 20,
}
const PEER_SAMPLE = 200

if (process.argv[1] === fileURLToPath(import.meta.url)) main()

/** The speed alone, in the form of the other benches. */
export function benchRisk() {
  const { medianUs, slowestMs, peerMedianUs } = speed((readRows() ?? exampleRows()).map(({ command }) => command))
  const ratio = medianUs / peerMedianUs
  const atMost = 1 / LIMITS.timesFaster
  return {
    rows: [
      { case: 'a command', times: { arc: medianUs * 1000, 'cc-safety-net': peerMedianUs * 1000 } },
      { case: 'the slowest', times: { arc: slowestMs * 1e6 } },
    ],
    limits: [{ case: 'a command', of: 'arc', against: 'cc-safety-net', ratio, atMost, ok: ratio <= atMost }],
  }
}

function main() {
  const rows = readRows()
  const found = rows === undefined ? {} : quality(rows)
  const results = { ...found, speed: speed((rows ?? exampleRows()).map(({ command }) => command)) }
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
  else print(results)
  const limits = [...(found.limits ?? []), ...results.speed.limits]
  process.exitCode = limits.every(({ ok }) => ok) ? 0 : 1
}

function readRows() {
  if (existsSync(CORPUS))
    return readFileSync(CORPUS, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  process.stderr.write('the labelled corpus is not beside this checkout: only the speed is measured\n')
  return undefined
}

function exampleRows() {
  const examples = RULE_PACKS.flatMap(({ rules }) => rules.flatMap(({ match, pass }) => [...match, ...pass]))
  return examples.filter((example) => typeof example === 'string').map((command) => ({ command }))
}

function quality(all) {
  const ours = judge(all, (command) =>
    decide(classifyRisk({ tool: 'shell', args: { command }, cwd: PROJECT, workspace: PROJECT })),
  )
  // Its library looks at the folder, so it gets one that exists.
  const peer = judge(all, (command) => (checkCommand({ command, cwd: ROOT }).kind === 'deny' ? 'block' : 'pass'))
  const half = (wanted) => ours.filter(({ id }) => halfOf(id) === wanted)
  const scores = {
    all: score(ours),
    'first half': score(half(0)),
    'second half': score(half(1)),
    'cc-safety-net': score(peer),
  }
  const { recall, hardRecall, falsePositives, decoyFalsePositives } = scores.all
  const limits = [
    limit('recall', recall, LIMITS.recall, 'at least'),
    limit('hard recall', hardRecall, LIMITS.hardRecall, 'at least'),
    limit('false positives', falsePositives, LIMITS.falsePositives, 'at most'),
    limit('decoy false positives', decoyFalsePositives, LIMITS.decoyFalsePositives, 'at most'),
  ]
  const misses = ours.filter(
    ({ expect, decision }) =>
      (expect === 'block' && decision !== 'block') || (expect === 'allow' && isCaught(decision)),
  )
  return {
    scores,
    limits,
    misses: misses.map(({ id, expect, decision, category, command }) => ({ id, expect, decision, category, command })),
  }
}

function judge(all, decideOn) {
  return all.map((row) => ({ ...row, decision: decideOn(row.command) }))
}

// While rules are being written only the misses of the first half are looked at; once those of the second have been
// seen as well, its figures no longer show how the rules carry over to unseen commands.
function halfOf(id) {
  return createHash('sha256').update(id).digest()[0] & 1
}

function isCaught(decision) {
  return decision === 'ask' || decision === 'block'
}

function score(judged) {
  const blocks = judged.filter(({ expect }) => expect === 'block')
  const allows = judged.filter(({ expect }) => expect === 'allow')
  const decoys = allows.filter(({ category }) => DECOYS.has(category))
  const share = (part, isHit) => part.filter(({ decision }) => isHit(decision)).length / Math.max(1, part.length)
  return {
    recall: share(blocks, isCaught),
    hardRecall: share(blocks, (decision) => decision === 'block'),
    falsePositives: share(allows, isCaught),
    decoyFalsePositives: share(decoys, isCaught),
    blocks: blocks.length,
    allows: allows.length,
  }
}

function speed(commands) {
  const ours = timeEach(commands, 15, (command) =>
    classifyRisk({ tool: 'shell', args: { command }, cwd: PROJECT, workspace: PROJECT }),
  )
  const step = Math.max(1, Math.floor(commands.length / PEER_SAMPLE))
  const sample = commands.filter((_, index) => index % step === 0)
  const peer = timeEach(sample, 3, (command) => checkCommand({ command, cwd: ROOT }))
  const medianUs = median(ours)
  const slowestMs = Math.max(...ours) / 1000
  const peerUs = median(peer)
  return {
    medianUs,
    slowestMs,
    peerMedianUs: peerUs,
    limits: [
      limit('median µs', medianUs, LIMITS.medianUs, 'at most'),
      limit('slowest ms', slowestMs, LIMITS.slowestMs, 'at most'),
      limit('times faster than cc-safety-net', peerUs / medianUs, LIMITS.timesFaster, 'at least'),
    ],
  }
}

// The best of several rounds for each command, in µs: what it costs when nothing else is in the way.
function timeEach(commands, rounds, run) {
  const best = commands.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, command] of commands.entries()) {
      const startedAt = process.hrtime.bigint()
      run(command)
      best[index] = Math.min(best[index], Number(process.hrtime.bigint() - startedAt) / 1000)
    }
  }
  return best
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

function limit(name, value, bound, kind) {
  return { name, value, bound, kind, ok: kind === 'at least' ? value >= bound : value <= bound }
}

function print({ scores, limits = [], misses = [], speed: { limits: speedLimits, peerMedianUs } }) {
  for (const [name, figures] of Object.entries(scores ?? {})) {
    const cells = ['recall', 'hardRecall', 'falsePositives', 'decoyFalsePositives'].map(
      (key) => `${key} ${figures[key].toFixed(3)}`,
    )
    process.stdout.write(
      `${name.padEnd(14)} ${cells.join('  ')}  (${figures.blocks} to catch, ${figures.allows} to leave)\n`,
    )
  }
  process.stdout.write(`cc-safety-net takes ${peerMedianUs.toFixed(0)} µs (median)\n\n`)
  for (const { name, value, bound, kind, ok } of [...limits, ...speedLimits]) {
    process.stdout.write(`${ok ? 'ok  ' : 'OVER'} ${name.padEnd(34)} ${value.toFixed(3)} (${kind} ${bound})\n`)
  }
  for (const { id, expect, decision, category, command } of misses) {
    process.stdout.write(
      `\n${expect} expected, ${decision} given  ${category}  ${id}\n  ${JSON.stringify(command).slice(0, 200)}`,
    )
  }
  process.stdout.write('\n')
}
