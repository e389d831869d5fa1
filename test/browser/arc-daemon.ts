// A daemon as users start it, in its own process and home, and the agents that call it.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ARC, onlyJson } from '../run-arc.ts'
import { runArcInProcess } from '../run-in-process.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../supervised-home.ts'

/** A daemon that runs, and can be ended and started again at the same address. */
export class ArcDaemon {
  readonly at: SupervisedHome = makeHome()
  url = ''
  token = ''
  #socket = ''
  #child: ChildProcess | undefined
  #port = 0
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 })
  #calls = 0

  constructor(profile: Readonly<Record<string, unknown>> = { enforcement: 'enforce' }) {
    askNobody(this.at.home)
    this.at.write(PROFILE, profile)
  }

  /** Starts it, always at the same port. */
  async start(): Promise<this> {
    if (this.#port === 0) this.#port = await freePort()
    const args = [ARC, 'serve', '--no-open', '--port', String(this.#port), '--json']
    const env = { ...process.env, ARC_HOME: this.at.home, ARC_PROFILE: '', NO_COLOR: '1' }
    const child = spawn(process.execPath, args, { env, cwd: this.at.project, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    const { url, socket } = await firstLine(child)
    this.url = url
    this.token = readFileSync(join(this.at.home, 'run/token'), 'utf8').trim()
    this.#socket = socket
    return this
  }

  /** A login link, good for one browser. */
  async loginUrl(): Promise<string> {
    const ran = await runArcInProcess(['status', '--json'], { home: this.at.home, cwd: this.at.project })
    return onlyJson<{ loginUrl: string }>(ran).loginUrl
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Ends it as it is: nothing is finished, nothing is said. */
  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const closed = new Promise((resolve) => child.once('close', resolve))
    child.kill(signal)
    await closed
  }

  /** Ends it and removes its folders. */
  async end(): Promise<void> {
    await this.kill('SIGTERM')
    this.#agent.destroy()
    this.at.remove()
  }

  /** What Claude Code sends before a command; the host's answer. */
  before(command: string, more: Readonly<Record<string, unknown>> = {}): Promise<HookAnswer> {
    return this.hook('PreToolUse', { ...bash(command), tool_use_id: `call-${++this.#calls}`, ...more })
  }

  /** A command from before to after. */
  async run(command: string, result: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const id = `call-${++this.#calls}`
    await this.hook('PreToolUse', { ...bash(command), tool_use_id: id, ...more })
    await this.hook('PostToolUse', { ...bash(command), tool_use_id: id, tool_response: result, ...more })
  }

  /** One event of Claude Code. */
  async hook(event: string, payload: Readonly<Record<string, unknown>>): Promise<HookAnswer> {
    const body = { session_id: 'session-1', cwd: this.at.project, hook_event_name: event, ...payload }
    return JSON.parse(await this.ask('POST', `/v1/hook/claude/${event}`, body)) as HookAnswer
  }

  /** A step of any program. */
  async dispatch(step: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    return JSON.parse(await this.ask('POST', '/v1/dispatch', step)) as Record<string, unknown>
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.ask('GET', path)) as T
  }

  ask(method: string, path: string, body?: unknown): Promise<string> {
    const where = { socketPath: this.#socket, agent: this.#agent, method, path }
    return new Promise((resolve, reject) => {
      const asked = request(where, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        response.on('end', () => resolve(text))
      })
      asked.on('error', reject)
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}

interface HookAnswer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

function bash(command: string): Readonly<Record<string, unknown>> {
  return { tool_name: 'Bash', tool_input: { command } }
}

interface Told {
  readonly url: string
  readonly socket: string
}

function firstLine(child: ChildProcess): Promise<Told> {
  let out = ''
  let wrong = ''
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      out += part
      if (out.includes('\n')) resolve(JSON.parse(out.slice(0, out.indexOf('\n'))) as Told)
    })
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      wrong += part
    })
    child.once('close', (code) => reject(new Error(`arc serve ended with ${code}: ${wrong}`)))
  })
}

// Free now, and asked for again after the daemon was ended.
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
