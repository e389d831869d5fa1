// Sends a test call through the line in a host's configuration, as the host would. Without a row in the trace the host is
// not supervised, whatever its files say.

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { unquoteFromShell } from '../../../engine/shell-quote.ts'
import type { Check } from '../../../hosts/check.ts'
import type { Host, HostName } from '../../../hosts/host.ts'
import { readTexts } from '../../../hosts/install/apply.ts'
import { hookLine } from '../../../hosts/install/command-line.ts'
import type { InstallTarget } from '../../../hosts/install/install-file.ts'
import { newId } from '../../../platform/ids.ts'
import { openStores } from '../../../storage/open-stores.ts'
import { context } from '../../context.ts'

const LIMIT_MS = 20_000
const COMMAND = 'echo arc-canary'

/** Sends a test call; ok if it is in the trace. */
export async function sendCanary(host: Host, place: InstallTarget, home: string): Promise<Check> {
  const name = `${host.name}: canary`
  const fix = `arc install ${host.name}, then arc doctor --live`
  const command = readCommand(host, place)
  if (command === undefined) return { name, ok: false, detail: 'no line of ARC in its configuration', fix }
  const session = `arc-doctor-${newId()}`
  const { event, payload } = host.canary({ session, dir: place.dir, command: COMMAND })
  const line = hookLine(command, host.name, event)
  const ran = await run(line, JSON.stringify(payload), home)
  const rows = countRows(home, session)
  if (rows > 0) return { name, ok: true, detail: `${line}: ${rows} evaluations in the trace` }
  return { name, ok: false, detail: `${line}: ${ran}, and nothing in the trace`, fix }
}

/** Is this file executable? */
export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

// Reads the command from the configuration, which need not be the one that would be installed now.
function readCommand(host: Host, place: InstallTarget): string | undefined {
  const files = host.install.files(place)
  const texts = readTexts(files.map(({ path }) => path))
  for (const { path, has, commandIn: find } of files) {
    const text = texts.get(path)
    if (text === undefined || !has(text)) continue
    return find?.(text) ?? findProgram(text, host.name)
  }
  return undefined
}

// ARC's scripts and plugins name the program on a line.
function findProgram(text: string, host: HostName): string | undefined {
  const [, script] = new RegExp(`^(?:exec )?(.+) hook ${host}(?: [\\w.-]+)?$`, 'm').exec(text) ?? []
  if (script !== undefined) return unquoteFromShell(script) ?? script
  const [, plugin] = /^const ARC = (".*")$/m.exec(text) ?? []
  const [, table] = /^command = (".*") *$/m.exec(text) ?? []
  if (plugin !== undefined) return JSON.parse(plugin) as string
  return table === undefined ? undefined : (JSON.parse(table) as string).replace(/ hook \w+.*$/, '')
}

// As hosts do: through a shell, with a small environment.
function run(line: string, payload: string, home: string): Promise<string> {
  return new Promise((resolve) => {
    const { PATH, HOME, ARC_DAEMON } = context().env
    const env = { PATH, HOME, ARC_HOME: home, ...(ARC_DAEMON !== undefined && { ARC_DAEMON }) }
    const child = spawn('/bin/sh', ['-c', line], { env, timeout: LIMIT_MS })
    let errors = ''
    child.stderr.on('data', (text) => {
      errors = `${errors}${text}`.slice(0, 300)
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(`exit ${code ?? signal}${errors === '' ? '' : `, ${errors.trim()}`}`))
    child.stdin.on('error', () => undefined)
    child.stdin.end(payload)
  })
}

function countRows(home: string, session: string): number {
  const stores = openStores(home, () => undefined)
  try {
    return stores.isDurable ? stores.trace.query({ session, limit: 50 }).length : 0
  } finally {
    stores.close()
  }
}
