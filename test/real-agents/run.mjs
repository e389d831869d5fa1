// One run: one agent, one scenario, a new home and project. Started by seal.mjs in its own namespaces, where nothing but
// loopback exists and every process ends with this one. Prints what it saw as JSON.

import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startModel } from '../../scripts/scripted-model/server.mjs'
import { CLIENTS, OWN_HOOK_MARK } from './clients.mjs'
import { startDaemon } from './daemon.mjs'
import { ALL_SCENARIOS } from './list.mjs'
import { planTurn } from './plan.mjs'
import { createSite, execute, listDifferences, readText, resolvePath, takeSnapshot, writeFiles } from './site.mjs'

const CLIENT_LIMIT_MS = 150_000
// Hooks at the end of a session may outlive the agent.
const SETTLE_MS = 400

// The first process of a namespace ignores signals that it does not handle.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

const { host, scenarioName, arc, cache, stage } = JSON.parse(process.argv[2])
const scenario = ALL_SCENARIOS.find(({ name }) => name === scenarioName)
process.stdout.write(JSON.stringify(await observe().catch((error) => ({ error: error.message }))))
process.exit(0)

async function observe() {
  const site = createSite(stage)
  let turns = []
  const plan = (conversation) => planTurn(turns, conversation, site)
  const model = await startModel({ plan, cwd: site.project, logFile: join(stage, 'model.log') })
  const wants = scenario.steps.flatMap(({ turns: all = [] }) => all.map(({ tool }) => tool))
  const surroundings = { bin: join(cache, host, 'node_modules'), modelUrl: model.url, wants, ...site }
  const prepare = (prompt) => CLIENTS[host].launch({ ...surroundings, prompt })
  writeFiles(prepare('').files)
  for (const [file, text] of Object.entries(scenario.files ?? {})) writeFiles({ [resolvePath(file, site)]: text })
  const installed = scenario.mode === undefined ? {} : supervise(site)
  const daemon = scenario.daemon === true ? await startDaemon(arc, site) : undefined
  const before = readProofs(site)
  const runs = []
  const commands = []
  for (const step of scenario.steps) {
    if (step.arc !== undefined) commands.push(runTyped(step, site))
    else {
      turns = step.turns
      const from = model.requests.length
      const { argv, env } = prepare(step.prompt ?? 'please go')
      const ran = await runClient(argv, { ...site.env, ...env }, site.project, runs.length)
      await sleep(SETTLE_MS)
      runs.push({ ...ran, ...describeTurns(model.requests.slice(from)), proofs: readProofs(site) })
    }
  }
  const complaints = (await daemon?.stop()) ?? []
  model.close()
  const isOwnHookRun = existsSync(join(site.home, OWN_HOOK_MARK))
  return {
    host,
    ...installed,
    before,
    runs,
    commands,
    after: readProofs(site),
    isOwnHookRun,
    complaints,
    ...readRecord(site),
  }
}

function supervise(site) {
  const place = CLIENTS[host].scope === 'user' ? ['--user'] : ['--project', site.project]
  execute('arc init', [arc, 'init', '--enforcement', scenario.mode], site)
  if (scenario.profile !== undefined) {
    const profile = JSON.stringify({ enforcement: scenario.mode, ...scenario.profile }, null, 2)
    writeFiles({ [join(site.env.ARC_HOME, 'profiles/default.json')]: `${profile}\n` })
  }
  const before = takeSnapshot(site)
  execute('arc install', [arc, 'install', host, ...place], site)
  const isInstalled = listDifferences(before, takeSnapshot(site)).length > 0
  if (scenario.uninstall !== true) return { isInstalled }
  execute('arc uninstall', [arc, 'uninstall', host, ...place], site)
  return { isInstalled, leftovers: listDifferences(before, takeSnapshot(site)) }
}

// With an answer the command gets a terminal, since a person is asked only there.
function runTyped({ arc: args, answer }, site) {
  if (answer === undefined) return execute(`arc ${args[0]}`, [arc, ...args], site, { codes: [0, 1, 2, 3] })
  const line = [arc, ...args].map((word) => `'${word}'`).join(' ')
  return execute(`arc ${args[0]}`, ['script', '-qec', line, '/dev/null'], site, {
    codes: [0, 1, 2, 3],
    input: `${answer}\n`,
  })
}

// The files that a scenario looks at, before and after.
function readProofs(site) {
  return Object.fromEntries((scenario.looksAt ?? []).map((file) => [file, readText(file, site) ?? null]))
}

function readRecord(site) {
  if (scenario.mode === undefined) return { records: [], events: [], explained: [], why: null }
  const read = (...args) => execute(`arc ${args[0]}`, [arc, ...args, '--json'], site, { codes: [0, 1] })
  const lines = [...read('logs', '--component', 'hooks', '--limit', '10000').split('\n')]
  const events = read('logs', '--component', 'roundtable', '--limit', '100').split('\n')
  const records = lines.filter(Boolean).map((line) => JSON.parse(line))
  return {
    records,
    events: events.filter(Boolean).map((line) => JSON.parse(line)),
    explained: records.filter(({ hook }) => hook === scenario.explains).map(({ id }) => parseOrNull(read('why', id))),
    why: parseOrNull(read('why')),
  }
}

function parseOrNull(text) {
  return text.trim() === '' ? null : JSON.parse(text)
}

async function runClient([file, ...args], env, cwd, number) {
  const [out, err] = ['out', 'err'].map((end) => join(stage, `client-${number}.${end}`))
  const stdio = ['ignore', openSync(out, 'w'), openSync(err, 'w')]
  const startedAt = performance.now()
  const child = spawn(file, args, { cwd, env, stdio, detached: true })
  let isLate = false
  const exitCode = await new Promise((resolve) => {
    const timer = setTimeout(() => {
      isLate = true
      process.kill(-child.pid, 'SIGKILL')
    }, CLIENT_LIMIT_MS)
    child.on('error', (error) => resolve(error.code))
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(code ?? signal)
    })
  })
  for (const descriptor of stdio.slice(1)) closeSync(descriptor)
  const output = `${readFileSync(out, 'utf8')}${readFileSync(err, 'utf8')}`
  return { exitCode, isLate, ms: Math.round(performance.now() - startedAt), output: output.slice(-400_000) }
}

// What the model did and got: the results of its calls, and all texts that came with them.
function describeTurns(requests) {
  const called = requests.find(({ turn }) => turn?.tool !== undefined)
  const next = called && requests.find(({ receivedAt, parts }) => receivedAt > called.receivedAt && hasResult(parts))
  const last = requests.filter(({ parts }) => hasResult(parts)).at(-1)
  return {
    calls: requests.filter(({ turn }) => turn?.tool !== undefined).map(({ turn }) => turn),
    tools: [...new Set(requests.flatMap(({ tools }) => tools))],
    results: (last?.parts ?? []).filter(({ kind }) => kind === 'result').map(({ text }) => text),
    heard: [...new Set(requests.flatMap(({ parts }) => parts.map(({ text }) => text)))].join('\n').slice(0, 200_000),
    turnMs: next ? Math.round(next.receivedAt - called.answeredAt) : null,
  }
}

function hasResult(parts) {
  return parts.some(({ kind }) => kind === 'result')
}
