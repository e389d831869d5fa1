// The daemon of a soak: started, killed, started again; and looked at from outside.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const ARC = fileURLToPath(new URL('../../bin/arc', import.meta.url))
const ANSWER_MS = 60_000
const ENDING_MS = 30_000

export class DaemonKeeper {
  #home
  #ledger
  #child
  #url
  #token

  constructor(home, ledger) {
    this.#home = home
    this.#ledger = ledger
  }

  get pid() {
    return this.#child?.pid
  }

  /** The environment of everything that belongs to this soak. */
  get env() {
    return { ...process.env, ARC_HOME: this.#home, HOME: this.#home, ARC_PROFILE: '', NO_COLOR: '1' }
  }

  async start() {
    const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--json', '--port', '0'], { env: this.env })
    let [said, errors] = ['', '']
    child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-2_000)))
    child.ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })))
    child.ended.then(({ code, signal }) => {
      // A daemon may end only on request, with exit code 0 unless it was killed.
      if (!child.isKilled) this.#ledger.complain(`the daemon ended unexpectedly with ${code ?? signal}: ${errors}`)
      else if (signal !== 'SIGKILL' && code !== 0)
        this.#ledger.complain(`a stop ended with ${code ?? signal}: ${errors}`)
    })
    const isUp = await new Promise((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text
        if (said.includes('\n')) resolve(true)
      })
      child.on('exit', () => resolve(false))
    })
    this.#child = child
    if (!isUp) return
    const { running, url } = JSON.parse(said)
    if (!running) return this.#ledger.complain(`the daemon says that it does not run: ${said}`)
    this.#url = new URL(url).origin
    this.#token = readFileSync(join(this.#home, 'run/token'), 'utf8').trim()
  }

  /** Ends it with a signal and waits until it is gone. */
  async kill(signal) {
    const child = this.#child
    if (child === undefined) return
    child.isKilled = true
    child.kill(signal)
    const given = new AbortController()
    const tooLong = sleep(ENDING_MS, 'too long', { signal: given.signal }).catch(() => undefined)
    if ((await Promise.race([child.ended, tooLong])) === 'too long')
      this.#ledger.complain(`it does not end with ${signal}`)
    given.abort()
  }

  async stop() {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.kill('SIGTERM')
  }

  /** A connection of one client: over the socket or the port. */
  client(isLocal) {
    return new Client({ isLocal, home: this.#home, place: () => ({ url: this.#url, token: this.#token }) })
  }

  get token() {
    return this.#token
  }

  get url() {
    return this.#url
  }

  /** Open descriptors and memory of a process, where the system tells. */
  look() {
    try {
      const descriptors = readdirSync(`/proc/${this.pid}/fd`).length
      const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]
      return { descriptors, megabytes: Math.round(Number(kilobytes) / 1024) }
    } catch {
      // It was killed at this moment, or there is no /proc.
      return undefined
    }
  }
}

class Client {
  #isLocal
  #home
  #place
  #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor({ isLocal, home, place }) {
    this.#isLocal = isLocal
    this.#home = home
    this.#place = place
  }

  /** Status and body; undefined when the daemon went away meanwhile. */
  send(method, path, body = '', headers = {}) {
    const { url, token } = this.#place()
    if (url === undefined) return Promise.resolve(undefined)
    const where = this.#isLocal
      ? { socketPath: join(this.#home, 'run/arc.sock') }
      : { host: '127.0.0.1', port: new URL(url).port }
    const all = { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body), ...headers }
    return new Promise((resolve, reject) => {
      const asked = request({ ...where, method, path, agent: this.#agent, headers: all }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => (text += part))
        response.on('end', () => resolve({ status: response.statusCode, text }))
        response.on('error', () => resolve(undefined))
      })
      asked.setTimeout(ANSWER_MS, () => {
        reject(new Error(`${method} ${path}: no answer within ${ANSWER_MS} ms`))
        asked.destroy()
      })
      asked.on('error', () => resolve(undefined))
      asked.end(body)
    })
  }

  close() {
    this.#agent.destroy()
  }
}
