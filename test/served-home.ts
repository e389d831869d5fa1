// A real daemon in a temporary home, called over its socket, whose memory and open files can be counted.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type Agent, request } from 'node:http'
import { dirname, join } from 'node:path'
import { type ProcessFigures, probeOptions, readFigures } from '../bench/soak/process-figures.mjs'
import { ARC } from './run-arc.ts'
import { askNobody } from './supervised-home.ts'
import { makeTempFolder } from './temp-folder.ts'

/** The numbers of open supervisors and of the parts that they share. */
interface OpenCounts {
  readonly supervisors: number
  readonly profiles: number
  readonly watchedFolders: number
  readonly userLoads: number
}

interface SentReply {
  readonly status: number
  readonly text: string
}

/** A daemon and its home. */
export interface ServedHome {
  readonly root: string
  readonly home: string
  readonly child: ChildProcess
  readonly pid: number
  readonly url: string
  /** Writes a file by its path from the root. */
  write(path: string, content: unknown): string
  /** Makes a project with its own layer; returns its folder. */
  project(name: string, layer: object): string
  /** Sends a request to the socket, on its own connection unless an agent is given. */
  ask(method: string, path: string, body?: string, agent?: Agent): Promise<SentReply>
  /** Sends a shell command as Claude would; returns the decision of the reply, `none` for a reply without one. */
  decide(cwd: string, command: string): Promise<string>
  counts(): Promise<OpenCounts>
  figures(): Promise<ProcessFigures>
  stop(): Promise<void>
}

/** Starts a daemon in its own home. */
export async function serveHome(profile: object = { enforcement: 'enforce' }): Promise<ServedHome> {
  const root = makeTempFolder('arc-served-')
  const home = join(root, 'home')
  const write = (path: string, content: unknown): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify(content))
    return file
  }
  write('home/profiles/default.json', profile)
  askNobody(home)
  const { nodeArgs, env: probe } = probeOptions(root)
  const env = { ...process.env, ARC_HOME: home, HOME: root, ARC_PROFILE: '', ...probe }
  const child = spawn(process.execPath, [...nodeArgs, ARC, 'serve', '--no-open', '--json', '--port', '0'], { env })
  child.stderr.resume()
  const { url } = JSON.parse(await firstLine(child)) as { readonly url: string }
  const pid = child.pid as number
  const ask: ServedHome['ask'] = (method, path, body, agent) =>
    send(join(home, 'run/arc.sock'), { method, path, body, agent })
  let calls = 0
  return {
    ...{ root, home, child, pid, url, write, ask },
    project: (name, layer) => dirname(dirname(write(join(name, '.arc/config.json'), layer))),
    async decide(cwd, command) {
      const call = { session_id: 's', cwd, hook_event_name: 'PreToolUse', tool_use_id: `t${++calls}` }
      const body = JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
      const { text } = await ask('POST', '/v1/hook/claude/PreToolUse', body)
      return readDecision(text)
    },
    async counts() {
      const { text } = await ask('GET', '/v1/status')
      return (JSON.parse(text) as { readonly open: OpenCounts }).open
    },
    figures: () => readFigures(pid, root),
    stop: () => endChild(child),
  }
}

function readDecision(text: string): string {
  const { stdout = '' } = JSON.parse(text) as { readonly stdout?: string }
  const reply = (stdout === '' ? {} : JSON.parse(stdout)) as {
    readonly hookSpecificOutput?: { readonly permissionDecision?: string }
  }
  return reply.hookSpecificOutput?.permissionDecision ?? 'none'
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    child.on('exit', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly agent: Agent | undefined
}

function send(socketPath: string, { method, path, body, agent }: Sent): Promise<SentReply> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = request({ socketPath, method, path, headers, agent: agent ?? false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('close', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.on('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
