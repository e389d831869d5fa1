// Keeps the files of a running daemon in place: pid file, socket and token. A file that was removed or replaced is written
// again, so that hooks and commands find the daemon. A daemon ends when its home is gone or another daemon serves it.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe } from '../../engine/errors.ts'
import { createPidFile, ownsPidFile, removeStalePidFile, requestHealth, STARTING_MS } from './lifecycle.ts'
import { runDir, socketFile, tokenFile } from './paths.ts'
import { findLiveDaemon, type PidRecord } from './pid-file.ts'

/** The files of a daemon, and how to write them again. */
export interface RunFilesOptions {
  readonly home: string
  readonly token: string
  readonly record: PidRecord
  /** Listens at the path of the socket again. */
  listen(): Promise<void>
  readonly report: (message: string) => void
  readonly checkMs?: number | undefined
}

const CHECK_MS = 2_000
// The socket of another daemon answers at once; one that hangs must not hold up the check.
const ANSWER_MS = 1_000

/** Checks the files every two seconds; resolves with the reason when the daemon should end. */
export function keepRunFiles(options: RunFilesOptions): { readonly why: Promise<string>; stop(): void } {
  const keeper = new RunFilesKeeper(options)
  let timer: NodeJS.Timeout | undefined
  const why = new Promise<string>((resolve) => {
    timer = setInterval(() => {
      void keeper.check().then((reason) => {
        if (reason !== undefined) resolve(reason)
      })
    }, options.checkMs ?? CHECK_MS)
    timer.unref()
  })
  return { why, stop: () => clearInterval(timer) }
}

class RunFilesKeeper {
  readonly #options: RunFilesOptions
  readonly #home: string
  #socket: string
  #isChecking = false
  #lastFailure = ''

  constructor(options: RunFilesOptions) {
    this.#options = options
    this.#home = readIdentity(options.home)
    this.#socket = readIdentity(socketFile(options.home))
  }

  /** Writes what is missing. Returns the reason why the daemon must end, if it must. */
  async check(): Promise<string | undefined> {
    if (this.#isChecking) return undefined
    this.#isChecking = true
    try {
      const reason = await this.#restore()
      this.#lastFailure = ''
      return reason
    } catch (error) {
      const message = describe(error)
      // Reported once, not every two seconds.
      if (message !== this.#lastFailure) this.#options.report(`The files of the daemon cannot be restored: ${message}`)
      this.#lastFailure = message
      return undefined
    } finally {
      this.#isChecking = false
    }
  }

  async #restore(): Promise<string | undefined> {
    const { home, token } = this.#options
    const identity = readIdentity(home)
    if (identity === '') return 'its home was removed'
    if (identity !== this.#home) return 'its home was replaced'
    if (!existsSync(runDir(home))) mkdirSync(runDir(home), { mode: 0o700 })
    if (!ownsPidFile(home)) {
      const other = await this.#findOther()
      if (other !== undefined) return other === 'starting' ? undefined : `process ${other} serves its home now`
      this.#restorePidFile()
    }
    if (!ownsPidFile(home)) return undefined
    if (readIdentity(socketFile(home)) !== this.#socket) await this.#restoreSocket()
    if (readText(tokenFile(home)) !== token) writeFileSync(tokenFile(home), token, { mode: 0o600 })
    return undefined
  }

  // A process that the pid file names counts only if it answers at the socket: anybody could write its number there.
  async #findOther(): Promise<number | 'starting' | undefined> {
    const { home } = this.#options
    const live = findLiveDaemon(home)
    if (live === undefined || live.pid === process.pid) return undefined
    const health = await requestHealth(socketFile(home), ANSWER_MS)
    if (health?.pid === live.pid) return live.pid
    return Math.abs(Date.now() - live.startedAt) < STARTING_MS ? 'starting' : undefined
  }

  #restorePidFile(): void {
    const { home, record, report } = this.#options
    removeStalePidFile(home, { isOthersKept: false })
    if (createPidFile(home, record)) report('The pid file of the daemon was removed or replaced; it was written again.')
  }

  async #restoreSocket(): Promise<void> {
    const { home, listen, report } = this.#options
    await listen()
    this.#socket = readIdentity(socketFile(home))
    report('The socket of the daemon was removed or replaced; the daemon listens there again.')
  }
}

function readIdentity(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.dev} ${stats.ino}`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // Removed or unreadable: written again.
    return undefined
  }
}
