// The light use of a daemon over a long time: a few calls a second in several projects, a dashboard that connects and
// leaves, and an edit of the profile and of a project now and then. Gives the figures of the daemon for every minute.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { sendCall, withHome } from '../daemon.mjs'
import { probeOptions, readFigures } from './process-figures.mjs'

const PROJECTS = 40
const CALLS_PER_SECOND = 8
const SESSION_CALLS = 200
const MINUTE_MS = 60_000

/** Uses a daemon lightly; calls `onMinute` with the figures at the start and after every minute. */
export function useLightly(minutes, onMinute) {
  const root = mkdtempSync(join(tmpdir(), 'arc-bench-light-'))
  return withHome(async ({ home, startDaemon }) => {
    try {
      const probe = probeOptions(root)
      const daemon = await startDaemon(probe.nodeArgs, probe.env)
      const look = () => readFigures(daemon.child.pid, root)
      const projects = Array.from({ length: PROJECTS }, (_, at) => makeProject(root, at))
      await onMinute(0, await look())
      for (let minute = 1; minute <= minutes; minute++) {
        await useForMinute({ home, daemon, projects, minute })
        await onMinute(minute, await look())
      }
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
}

async function useForMinute({ home, daemon, projects, minute }) {
  const endsAt = Date.now() + MINUTE_MS
  const page = openPage(daemon)
  setProfile(home, minute)
  setLayer(projects[minute % projects.length], minute)
  for (let call = 0; Date.now() < endsAt; call++) {
    const id = `${minute}-${call}`
    const session = `light-${Math.floor((minute * MINUTE_MS) / 1_000 / SESSION_CALLS)}`
    const common = { session_id: session, cwd: projects[call % projects.length], tool_use_id: id, tool_name: 'Bash' }
    const tool_input = { command: call % 10 === 0 ? `git reset --hard HEAD~${call}` : `git log -n ${call}` }
    await sendCall(daemon.socket, 'PreToolUse', { ...common, tool_input })
    await sendCall(daemon.socket, 'PostToolUse', { ...common, tool_input, tool_response: { stdout: id } })
    await sleep(1_000 / CALLS_PER_SECOND)
  }
  page.terminate()
}

function openPage({ http }) {
  const page = new WebSocket(`ws://${http.host}:${http.port}/v1/stream`, { headers: http.headers })
  page.on('message', () => undefined)
  page.on('error', () => undefined)
  return page
}

function setProfile(home, number) {
  writeFileSync(
    join(home, 'profiles/default.json'),
    JSON.stringify({ enforcement: 'enforce', hooks: { timeout: 5_000 + number } }),
  )
}

/** Makes a project with its own layer; returns its folder. */
export function makeProject(root, at) {
  const project = join(root, `project-${at}`)
  mkdirSync(join(project, '.arc'), { recursive: true })
  setLayer(project, 0)
  return project
}

function setLayer(project, number) {
  writeFileSync(
    join(project, '.arc/config.json'),
    JSON.stringify(number % 2 === 0 ? { enforcement: 'enforce' } : { hooks: { errorBehavior: 'abort' } }),
  )
}
