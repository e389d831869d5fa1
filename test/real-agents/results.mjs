// The results of runs, kept in results.json, and the page that shows them. Pure but for reading and writing that file.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CLIENTS, releaseOf } from './clients.mjs'
import { HOOK_AGENT, HOOK_CASES, HOOK_MODES } from './hook-modes.mjs'
import { SCENARIOS } from './scenarios.mjs'

const FILE = fileURLToPath(new URL('results.json', import.meta.url))

/** The kept results. */
export function readResults() {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : { runs: [] }
}

/** Puts new results in the place of older ones of the same agent and scenario, in the order of the tables. */
export function writeResults(fresh, day) {
  const key = ({ agent, scenario }) => `${agent} ${scenario}`
  const kept = readResults().runs.filter((one) => !fresh.some((other) => key(other) === key(one)))
  const named = [
    ...SCENARIOS.map(({ name }) => name),
    ...HOOK_CASES.flatMap(({ hook }) => HOOK_MODES.map((mode) => `${hook}-${mode}`)),
  ]
  const agents = Object.keys(CLIENTS)
  const runs = [...kept, ...fresh.map((one) => describeRun(one, day))]
    .filter(({ agent, scenario }) => agents.includes(agent) && named.includes(scenario))
    .toSorted(
      (a, b) =>
        named.indexOf(a.scenario) - named.indexOf(b.scenario) || agents.indexOf(a.agent) - agents.indexOf(b.agent),
    )
  writeFileSync(FILE, `${JSON.stringify({ runs }, null, 2)}\n`)
}

// Without what differs from run to run.
function describeRun({ agent, release, scenario, state, why, failures, summary }, day) {
  const told = { ...(why && { why }), ...(failures?.length > 0 && { failures }), ...(summary && { summary }) }
  return JSON.parse(withoutChance(JSON.stringify({ agent, release, scenario, state, day, ...told })))
}

function withoutChance(text) {
  return text
    .replace(/\/(?:srv|mnt|media)\/(?:project|home)/g, '~')
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}(?:\.\d+)?\b/g, 'ID')
    .replace(/\/tmp\/[\w./-]+/g, '~')
}

/** The page `docs/reference/verified.md`. */
export function renderResults({ runs }, { page, table, code }) {
  const days = [...new Set(runs.map(({ day }) => day))].sort()
  const verified = `Last run: ${days.at(-1) ?? 'never'}.`
  const intro = [
    'What was seen with real agents, run headless under ARC against a scripted model, each in its own home without a network.',
    `\`npm run agents -- --write\` writes it. ${verified} A dash with a number: not possible with this agent, for the reason below.`,
  ]
  return page(
    'Verified with real agents',
    intro,
    [agentSection(runs, table, code), hookSection(runs, table, code)].join('\n\n'),
  )
}

function agentSection(runs, table, code) {
  const reasons = []
  const number = (text) => (reasons.includes(text) ? reasons.indexOf(text) : reasons.push(text) - 1) + 1
  const agents = Object.keys(CLIENTS)
  const rows = SCENARIOS.map(({ name, about }) => [
    code(name),
    about,
    ...agents.map((agent) => {
      const run = find(runs, agent, name)
      if (run === undefined) return 'not run'
      if (run.state === 'not possible') return `– ${number(`${agent}: ${run.why}`)}`
      return run.state === 'ok' ? 'ok' : 'failed'
    }),
  ])
  const releases = table(
    ['agent', 'release'],
    agents.map((agent) => [code(agent), releaseOf(agent)]),
  )
  const list = reasons.map((text, at) => `${at + 1}. ${text}`).join('\n')
  return ['## Agents', releases, '## Scenarios', table(['scenario', 'what must hold', ...agents], rows), list].join(
    '\n\n',
  )
}

function hookSection(runs, table, code) {
  const rows = HOOK_CASES.flatMap(({ hook, done }) =>
    HOOK_MODES.map((mode) => {
      const run = find(runs, HOOK_AGENT, `${hook}-${mode}`)
      const { record, agent, person, file } = run?.summary ?? {}
      const effect = file === undefined ? [] : [file === null ? 'no file' : `file: ${inline(file)}`]
      const state = run === undefined ? 'not run' : run.state
      return [code(hook), mode, done, [recordText(record), ...effect].join('; '), inline(agent), inline(person), state]
    }),
  )
  const head = ['hook', 'mode', 'what was done', 'record and effect', 'agent gets', 'person gets', 'as documented']
  const title = `## Built-in hooks\n\nVerified with ${HOOK_AGENT} ${releaseOf(HOOK_AGENT)}. The texts are cut after their first words.`
  return `${title}\n\n${table(head, rows)}`
}

function find(runs, agent, scenario) {
  return runs.find((run) => run.agent === agent && run.scenario === scenario)
}

function recordText(record) {
  if (record === undefined || record === null) return 'none'
  return record.decision === 'pass' ? 'pass' : `${record.decision}, ${record.applied ? 'applied' : 'not applied'}`
}

const SHOWN = 90

function inline(text) {
  if (text === undefined || text === null) return 'nothing'
  const line = text
    .trim()
    .replace(/\s*\n\s*/g, ' / ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
  return line.length > SHOWN ? `${line.slice(0, SHOWN)} …` : line
}
