// The simulated agent: it asks the installed hook line about each tool call, exactly as its host would, and does what
// passed. Its descendants are the hook processes and the commands, as with a real host.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { dirname, isAbsolute, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const { HOME } = process.env
const PROJECT = join(HOME, 'project')
const OUTPUT_LIMIT = 100_000
// Connections to the daemon.
const CONNECTIONS = new Agent({ keepAlive: true })

const ACTIONS = { hook, hooks, perform, shell }

for await (const line of createInterface({ input: process.stdin })) {
  const { action, ...request } = JSON.parse(line)
  let answer
  try {
    answer = await ACTIONS[action](request)
  } catch (error) {
    answer = { code: 1, stdout: '', stderr: String(error?.message ?? error) }
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

/**
 * Asks the hook as the host would: the line from the host's own file, run by a shell, the payload on stdin. With
 * `isVerdictOnly` the request of the line goes straight to the daemon, and through the line where no daemon answers.
 */
async function hook({ host, event, payload, encoding = 'utf8', env, cwd = PROJECT, isVerdictOnly = false }) {
  const line = lineOf(host, event)
  if (line === undefined) return { code: 0, stdout: '', stderr: '', isAbsent: true }
  const reply = isVerdictOnly ? await askDaemon(host, payload) : undefined
  return reply ?? shell({ command: line, input: payload, encoding, env, cwd, timeoutMs: 70_000 })
}

function askDaemon(host, payload) {
  const path = `/v1/hook/${host}/-`
  const known = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }
  const headers = { ...known, 'x-arc-cwd': PROJECT, 'x-arc-caller': String(process.pid) }
  const options = { socketPath: join(HOME, '.arc/run/arc.sock'), method: 'POST', path, headers, agent: CONNECTIONS }
  return new Promise((resolve) => {
    const asked = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => {
        // Another program may sit on the socket, and answer nonsense.
        const { exitCode, stdout, stderr } = response.statusCode === 200 && text.startsWith('{') ? JSON.parse(text) : {}
        resolve(exitCode === undefined ? undefined : { code: exitCode, stdout, stderr })
      })
    })
    // One that was stopped gives no answer.
    asked.setTimeout(5_000, () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.end(payload)
  })
}

/** Several calls at the same time, as hosts make them for parallel tool calls. */
async function hooks({ calls }) {
  return { answers: await Promise.all(calls.map(hook)) }
}

function lineOf(host, event) {
  if (host === 'claude') return claudeLine(event)
  if (host === 'codex')
    return fileLine(join(HOME, '.codex/hooks.json'), 'codex') ?? fileLine(join(HOME, '.codex/config.toml'), 'codex')
  const plugin =
    readOrNothing(join(HOME, '.config/opencode/plugin/arc.js')) ??
    readOrNothing(join(HOME, '.config/opencode/plugins/arc.js'))
  const program = plugin === undefined ? undefined : /const ARC = (".*")/.exec(plugin)?.[1]
  return program === undefined ? undefined : `'${JSON.parse(program)}' hook opencode ${event}`
}

function claudeLine(event) {
  const files = [
    join(HOME, '.claude/settings.json'),
    join(PROJECT, '.claude/settings.json'),
    join(PROJECT, '.claude/settings.local.json'),
  ]
  const all = files.map(readJson)
  if (all.some((settings) => settings?.disableAllHooks === true)) return undefined
  const hooks = all.flatMap((settings) => settings?.hooks?.[event] ?? []).flatMap((group) => group?.hooks ?? [])
  return hooks
    .map(({ command }) => command)
    .find((command) => typeof command === 'string' && command.includes('hook claude'))
}

// The first line of a file that runs our hook, whatever the file's format.
function fileLine(path, host) {
  const text = readOrNothing(path)
  return text === undefined ? undefined : new RegExp(`[^"'\\s]+ hook ${host}\\b`).exec(text)?.[0]
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // As Claude does with a file that is not there or not JSON: no settings.
    return undefined
  }
}

function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Does what a tool of this name and with these arguments would do, as far as it can matter. */
async function perform({ tool, args, cwd = PROJECT, timeoutMs }) {
  const name = String(tool).trim().toLowerCase()
  const done = { code: 0, stdout: '', stderr: '' }
  if (args === null || typeof args !== 'object') return done
  const path = [args.file_path, args.path, args.filePath, args.notebook_path, args.uri, args.target_file].find(
    (text) => typeof text === 'string',
  )
  if (/move|rename/.test(name) && args.source && args.destination) {
    renameSync(inProject(args.source), inProject(args.destination))
    return done
  }
  if (/delete|remove/.test(name) && path !== undefined) {
    rmSync(inProject(path), { recursive: true })
    return done
  }
  const content = [args.content, args.contents, args.text, args.new_source, args.file_text].find(
    (text) => typeof text === 'string',
  )
  if (path !== undefined && content !== undefined) {
    mkdirSync(dirname(inProject(path)), { recursive: true })
    writeFileSync(inProject(path), content)
    return done
  }
  if (path !== undefined && typeof args.old_string === 'string') {
    const text = readFileSync(inProject(path), 'utf8')
    writeFileSync(
      inProject(path),
      text.replace(args.old_string, () => args.new_string ?? ''),
    )
    return done
  }
  const patch = args.patch ?? args.input ?? (name.includes('patch') ? args.command : undefined)
  if (typeof patch === 'string' && patch.includes('*** ')) return applyPatch(patch)
  const code = args.code
  if (typeof code === 'string') return shell({ command: `python3 -c "$CODE"`, env: { CODE: code }, cwd, timeoutMs })
  const list = [args.argv, args.args, args.command].find(Array.isArray)
  const command = [
    args.command,
    args.cmd,
    args.script,
    args.commandLine,
    args.command_line,
    args.shell,
    args.bash,
  ].find((text) => typeof text === 'string')
  if (list?.every((word) => typeof word === 'string')) {
    const words = command === undefined ? list : [command, ...list]
    return shell({ command: '"$@"', words, cwd, timeoutMs })
  }
  return command === undefined ? done : shell({ command, cwd, timeoutMs })
}

function inProject(path) {
  const plain = /^file:/i.test(path) ? fileURLToPath(path) : path
  return isAbsolute(plain) ? plain : join(PROJECT, plain)
}

// `*** Add File`, `*** Update File` with whole lines, `*** Delete File`: enough to see whether a file was changed.
function applyPatch(patch) {
  const parts = patch.split(/^\*\*\* /m).slice(1)
  for (const part of parts) {
    const [, kind, path] = /^(Add|Update|Delete) File: (.+)$/m.exec(part) ?? []
    if (path === undefined) continue
    if (kind === 'Delete') rmSync(inProject(path.trim()))
    else {
      const lines = part
        .split('\n')
        .slice(1)
        .filter((line) => line.startsWith('+'))
      writeFileSync(inProject(path.trim()), lines.map((line) => line.slice(1)).join('\n'))
    }
  }
  return { code: 0, stdout: '', stderr: '' }
}

/** Runs a shell command in its own process group. */
function shell({ command, words = [], input = '', encoding = 'utf8', env = {}, cwd = PROJECT, timeoutMs = 6_000 }) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command, ...(words.length > 0 ? ['sh', ...words] : [])], {
      cwd: existsSync(cwd) ? cwd : '/',
      env: { ...process.env, ...env },
      detached: true,
    })
    const timer = setTimeout(() => killGroup(child.pid), timeoutMs)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += stdout.length < OUTPUT_LIMIT ? text : ''))
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += stderr.length < OUTPUT_LIMIT ? text : ''))
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: String(error) }))
    const ended = (code, signal) => {
      clearTimeout(timer)
      resolve({ code: code ?? 137, signal, stdout, stderr })
    }
    child.on('close', ended)
    // A background process may hold the pipes forever.
    child.on('exit', (code, signal) => setTimeout(ended, 300, code, signal))
    child.stdin.end(Buffer.from(input, encoding))
  })
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}
