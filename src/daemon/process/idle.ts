// Is a daemon still of use? One that a hook started ends by itself when nobody needs it any more, when its home is gone,
// and when its program was replaced by another version.

import { type Stats, statSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { InFlight } from './in-flight.ts'
import { ownsPidFile } from './lifecycle.ts'

/** When a daemon was last used, and who is connected to stay. */
export class Usage {
  readonly #streams = new Set<Duplex>()
  #usedAt = performance.now()

  /** A request came in. */
  touch(): void {
    this.#usedAt = performance.now()
  }

  /** Counts pages that follow the stream: they are silent and there. */
  trackStreams(server: Server): void {
    server.on('upgrade', (_request, socket: Duplex) => {
      this.#streams.add(socket)
      socket.once('close', () => {
        this.#streams.delete(socket)
        this.touch()
      })
    })
  }

  /** How long nobody has used it. */
  get idleMs(): number {
    return this.#streams.size > 0 ? 0 : performance.now() - this.#usedAt
  }
}

/** What decides whether a daemon goes on. */
export interface IdleOptions {
  readonly home: string
  readonly usage: Usage
  readonly inFlight: InFlight
  /** A file of the program that runs. */
  readonly program: string
  /** How long it may be idle. */
  idleMs(): Promise<number>
  /** Called at every look. */
  readonly onCheck: () => void
}

const LOOK_MS = 2_000

/** Resolves with the reason when a daemon is of no use any more. */
export function watchIdle(facts: IdleOptions): { readonly why: Promise<string>; stop(): void } {
  const began = identityOf(facts.program)
  let timer: NodeJS.Timeout | undefined
  const why = new Promise<string>((resolve) => {
    timer = setInterval(async () => {
      const reason = await reasonToEnd(facts, began)
      if (reason !== undefined) resolve(reason)
    }, LOOK_MS)
    timer.unref()
  })
  return { why, stop: () => clearInterval(timer) }
}

async function reasonToEnd({ home, usage, inFlight, program, idleMs, onCheck }: IdleOptions, began: string) {
  if (!ownsPidFile(home)) return 'its home is gone, or another has taken its place'
  onCheck()
  if (inFlight.size > 0) return undefined
  if (identityOf(program) !== began) return 'its program was replaced'
  const allowedMs = await idleMs().catch(() => Number.POSITIVE_INFINITY)
  return usage.idleMs >= allowedMs ? `nobody has used it for ${Math.round(usage.idleMs / 1_000)} s` : undefined
}

function identityOf(file: string): string {
  const stats: Stats | undefined = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`
}
