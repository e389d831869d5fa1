// `npm run agents`: real agents under ARC, headless, with a scripted model on loopback. Prints a line for each run.
//
//   npm run agents -- claude                       one agent, all scenarios
//   npm run agents -- all enforce-danger           every agent, one scenario
//   npm run agents -- --write                      everything, and the results into docs/reference/verified.md

import { spawnSync } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { HOSTS } from '../../dist/hosts.js'
import { CLIENTS, installClient, releaseOf } from './clients.mjs'
import { HOOK_AGENT } from './hook-modes.mjs'
import { ALL_SCENARIOS } from './list.mjs'
import { writeResults } from './results.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { endRun, runSealed } from './seal.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const USAGE = `usage: npm run agents -- [--arc FILE] [--cache FOLDER] [--keep] [--write] [AGENT…|all] [SCENARIO…]
agents: ${Object.keys(CLIENTS).join(' ')}
scenarios: ${ALL_SCENARIOS.map(({ name }) => name).join(' ')}`

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    endRun()
    process.exit(130)
  })
}

process.exitCode = await main()

async function main() {
  const asked = readCommandLine()
  if (asked === undefined) return 2
  const results = await runAll(asked)
  if (asked.isWrite) {
    spawnSync(process.execPath, [join(ROOT, 'scripts/docs.mjs'), '--write'], { stdio: 'inherit' })
  }
  const failed = results.filter(({ state }) => state === 'failed').length
  const skipped = results.filter(({ state }) => state === 'not possible').length
  console.log(`${results.length - failed - skipped} passed, ${failed} failed, ${skipped} not possible`)
  return failed === 0 ? 0 : 1
}

function readCommandLine() {
  try {
    const options = {
      arc: { type: 'string' },
      cache: { type: 'string' },
      keep: { type: 'boolean' },
      write: { type: 'boolean' },
    }
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    const isAgent = (word) => word === 'all' || Object.hasOwn(CLIENTS, word)
    const names = positionals.filter((word) => !isAgent(word))
    const agents = positionals.filter(isAgent)
    const unknown = names.find((name) => !ALL_SCENARIOS.some((one) => one.name === name))
    if (unknown !== undefined) throw new Error(`${unknown} is neither an agent nor a scenario`)
    const arc = resolve(values.arc ?? join(ROOT, 'bin/arc'))
    accessSync(arc, constants.X_OK)
    return {
      ...{ arc, keep: values.keep === true, isWrite: values.write === true },
      cache: resolve(values.cache ?? join(tmpdir(), 'arc-agents')),
      agents: agents.length === 0 || agents.includes('all') ? Object.keys(CLIENTS) : agents,
      scenarios: names.length === 0 ? ALL_SCENARIOS : ALL_SCENARIOS.filter(({ name }) => names.includes(name)),
    }
  } catch (error) {
    process.stderr.write(`${error.message}\n${USAGE}\n`)
    return undefined
  }
}

// The built-in hooks are run with one agent only.
function isWanted(agent, scenario) {
  return SCENARIOS.includes(scenario) || agent === HOOK_AGENT
}

async function runAll({ agents, scenarios, ...options }) {
  const runs = mkdtempSync(join(tmpdir(), 'arc-agents-run-'))
  const results = []
  for (const agent of agents) {
    installClient(agent, options.cache)
    for (const scenario of scenarios.filter((one) => isWanted(agent, one))) {
      const result = await runOne(agent, scenario, join(runs, agent, scenario.name), options)
      results.push(result)
      // At once: a run that is broken off keeps its results.
      if (options.isWrite) writeResults([result], new Date().toISOString().slice(0, 10))
      console.log(describe(result))
    }
  }
  const isClean = results.every(({ folder }) => folder === undefined)
  if (isClean) rmSync(runs, { recursive: true, force: true })
  return results
}

async function runOne(agent, scenario, folder, { arc, cache, keep }) {
  const head = { agent, release: releaseOf(agent), scenario: scenario.name }
  const why = scenario.why?.(CLIENTS[agent], HOSTS[agent])
  if (why !== undefined) return { ...head, state: 'not possible', why }
  mkdirSync(folder, { recursive: true })
  const seen = await runSealed({ host: agent, scenarioName: scenario.name, folder, arc, cache })
  const failures = seen.error === undefined ? scenario.judge(seen, CLIENTS[agent], HOSTS[agent]) : [seen.error]
  const isOk = failures.length === 0
  if (isOk && !keep) rmSync(folder, { recursive: true, force: true })
  const ms = seen.runs?.reduce((sum, run) => sum + run.ms, 0)
  const summary = seen.error === undefined ? scenario.summarise?.(seen) : undefined
  return { ...head, state: isOk ? 'ok' : 'failed', failures, ms, summary, ...(isOk && !keep ? {} : { folder }) }
}

function describe({ agent, scenario, state, ms, failures = [], why, folder }) {
  const note = [why && `not possible with this agent: ${why}`, failures.join('; '), folder].filter(Boolean).join(' ')
  const word = { ok: 'ok', failed: 'FAIL', 'not possible': '–' }[state]
  return `${word.padEnd(4)} ${agent.padEnd(9)} ${scenario.padEnd(24)} ${String(ms ?? '-').padStart(6)} ${note}`
}
