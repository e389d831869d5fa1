// Plays the sample session: creates the workspace, runs the agent in it as a separate process, passes on its events, and
// removes the workspace.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { ArcError } from '../../../engine/errors.ts'
import { context } from '../../context.ts'
import type { SampleEvent } from './sample-events.ts'
import { makeWorkspace } from './workspace.ts'

/** The options of the session. */
export interface PlayOptions {
  /** The home with the records of the session. */
  readonly home: string
  readonly mode: string
  readonly waitMs: number
  readonly onEvent: (event: SampleEvent) => void
  /** Ends the session early, without an error. */
  readonly signal?: AbortSignal | undefined
}

/** Plays the session to its end. */
export async function playSession({ home, mode, waitMs, onEvent, signal }: PlayOptions): Promise<void> {
  const workspace = await makeWorkspace()
  try {
    const { repository, configHome } = workspace
    const options = ['--config-home', configHome, '--mode', mode, '--wait', String(waitMs / 1_000)]
    const arc = context().program
    const child = spawn(process.execPath, [arc, 'sample-agent', ...options], {
      cwd: repository,
      env: { ...context().env, ARC_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const stop = (): void => void child.kill()
    const stopNow = (): void => {
      child.kill('SIGKILL')
      workspace.removeNow()
    }
    signal?.addEventListener('abort', stop)
    // This process may exit at any moment, as when its output is closed.
    process.once('exit', stopNow)
    const ended = new Promise<number | string>((done, fail) => {
      child.on('error', fail)
      child.on('close', (code, killedBy) => done(code ?? killedBy ?? 'nothing'))
    })
    for await (const line of createInterface({ input: child.stdout })) onEvent(JSON.parse(line) as SampleEvent)
    const how = await ended
    signal?.removeEventListener('abort', stop)
    process.removeListener('exit', stopNow)
    if (how !== 0 && signal?.aborted !== true) {
      throw new ArcError('ARC_SAMPLE_FAILED', `The sample agent ended early, with ${how}.`)
    }
  } finally {
    await workspace.remove()
  }
}
