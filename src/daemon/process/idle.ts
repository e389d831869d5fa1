// Ends a daemon that a hook started when it is idle and when its program was replaced, and a daemon in the background when
// another build of ARC is installed.

import { type Stats, statSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { findSuccessor, type InstalledBuild } from './build.ts'
import type { InFlight } from './in-flight.ts'

/** The last use of a daemon, and its open streams. */
export class Usage {
  readonly #streams = new Set<Duplex>()
  #usedAt = performance.now()

  /** Registers a request. */
  touch(): void {
    this.#usedAt = performance.now()
  }

  /** Counts the open streams of a server: a page with a stream sends no requests. */
  trackStreams(server: Server): void {
    server.on('upgrade', (_request, socket: Duplex) => {
      this.#streams.add(socket)
      socket.once('close', () => {
        this.#streams.delete(socket)
        this.touch()
      })
    })
  }

  /** The time since the last use; 0 while a stream is open. */
  get idleMs(): number {
    return this.#streams.size > 0 ? 0 : performance.now() - this.#usedAt
  }
}

/** The facts that decide whether a daemon ends. */
export interface IdleOptions {
  readonly usage: Usage
  readonly inFlight: InFlight
  /** A file of the running program. */
  readonly program: string
  /** How long the daemon may be idle. */
  idleMs(): Promise<number>
  /** Called at every check. */
  readonly onCheck: () => void
}

const CHECK_MS = 2_000

/** Resolves with the reason when a daemon should end. */
export function watchIdle(facts: IdleOptions): { readonly why: Promise<string>; stop(): void } {
  const startedFrom = readFileIdentity(facts.program)
  let timer: NodeJS.Timeout | undefined
  const why = new Promise<string>((resolve) => {
    timer = setInterval(async () => {
      const reason = await findEndReason(facts, startedFrom)
      if (reason !== undefined) resolve(reason)
    }, CHECK_MS)
    timer.unref()
  })
  return { why, stop: () => clearInterval(timer) }
}

async function findEndReason({ usage, inFlight, program, idleMs, onCheck }: IdleOptions, startedFrom: string) {
  onCheck()
  if (inFlight.size > 0) return undefined
  if (readFileIdentity(program) !== startedFrom) return 'its program was replaced'
  const allowedMs = await idleMs().catch(() => Number.POSITIVE_INFINITY)
  return usage.idleMs >= allowedMs ? `it was idle for ${Math.round(usage.idleMs / 1_000)} s` : undefined
}

function readFileIdentity(file: string): string {
  const stats: Stats | undefined = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`
}

/** Calls back once when another build of ARC should serve a home. */
export function watchBuild(
  home: string,
  running: InstalledBuild | undefined,
  onSuccessor: (successor: InstalledBuild) => void,
): { stop(): void } {
  const timer = setInterval(() => {
    const successor = findSuccessor(home, running)
    if (successor === undefined) return
    clearInterval(timer)
    onSuccessor(successor)
  }, CHECK_MS).unref()
  return { stop: () => clearInterval(timer) }
}
