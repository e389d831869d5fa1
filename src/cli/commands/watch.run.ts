// `arc watch`: runs the live view: reads new records, draws, and does what the keys ask for. Steps are answered on the normal
// screen with the question of `arc approve`, where a long step can be scrolled.

import { describe } from '../../engine/errors.ts'
import { askLine } from '../confirm.ts'
import { info } from '../output.ts'
import { answerApproval } from './approvals.run.ts'
import { logs } from './logs.run.ts'
import { FullScreen, hasFullScreen } from './watch/full-screen.ts'
import { LiveSource } from './watch/live-source.ts'
import { renderWatch } from './watch/render-watch.ts'
import { EMPTY_STATE, reduce, type WatchEffect, type WatchEvent, type WatchState } from './watch/watch-state.ts'

/** The options of `arc watch`. */
interface WatchCommandOptions {
  readonly bell: boolean
}

const POLL_MS = 250
const FIRST_LINES = '20'
const INTERRUPTED = 130

/** Shows the live view until the person quits. */
export async function watch({ bell }: WatchCommandOptions): Promise<number> {
  if (!hasFullScreen()) return logs({ follow: true, all: true, limit: FIRST_LINES })
  const source = new LiveSource()
  try {
    return await new WatchSession(source, bell).run()
  } finally {
    source.close()
  }
}

class WatchSession {
  readonly #source: LiveSource
  readonly #rings: boolean
  readonly #screen: FullScreen
  #state: WatchState = EMPTY_STATE
  // The keys during a question belong to it.
  #isAsking = false
  #exitCode: number | undefined
  #wake: () => void = () => undefined

  constructor(source: LiveSource, rings: boolean) {
    this.#source = source
    this.#rings = rings
    this.#screen = new FullScreen({
      onKey: (key) => this.#dispatch({ kind: 'key', key, size: this.#screen.size }),
      onRedraw: () => this.#draw(),
    })
  }

  async run(): Promise<number> {
    this.#screen.open()
    try {
      while (this.#exitCode === undefined) {
        await this.#read()
        if (this.#exitCode === undefined) await this.#pause()
      }
      return this.#exitCode
    } finally {
      this.#screen.close()
    }
  }

  async #read(): Promise<void> {
    try {
      this.#dispatch({ kind: 'read', ...(await this.#source.read()) })
    } catch (error) {
      // A busy or damaged database, or an invalid profile: tried again.
      this.#dispatch({ kind: 'problem', text: describe(error) })
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #dispatch(event: WatchEvent): void {
    if (this.#exitCode !== undefined) return
    const { state, effect } = reduce(this.#state, event)
    this.#state = state
    this.#draw()
    if (effect !== undefined) this.#apply(effect)
  }

  #draw(): void {
    this.#screen.draw(renderWatch(this.#state, this.#screen.size))
  }

  #apply(effect: WatchEffect): void {
    if (effect.kind === 'bell') {
      if (this.#rings) this.#screen.ring()
    } else if (effect.kind === 'redraw') this.#screen.redraw()
    else if (effect.kind === 'suspend') this.#screen.suspend()
    else if (effect.kind === 'quit') {
      this.#exitCode = effect.isInterrupted ? INTERRUPTED : 0
      this.#wake()
    } else if (effect.kind === 'explain') this.#explain(effect.id)
    else if (!this.#isAsking) void this.#answer(effect.id, effect.kind)
  }

  #explain(id: string): void {
    try {
      const lines = this.#source.explain(id)
      if (lines === undefined) this.#dispatch({ kind: 'notice', text: 'The record was removed.' })
      else this.#dispatch({ kind: 'details', title: `Why ${id}`, lines })
    } catch (error) {
      this.#dispatch({ kind: 'notice', text: describe(error) })
    }
  }

  // Never rejects: a failure is shown.
  async #answer(id: string, word: 'approve' | 'deny'): Promise<void> {
    this.#isAsking = true
    this.#screen.leave()
    let text: string
    try {
      text = (await (word === 'approve' ? approve(id) : this.#deny(id))) ? ANSWERED[word] : 'Nothing was changed.'
    } catch (error) {
      text = describe(error)
    }
    this.#isAsking = false
    if (this.#exitCode !== undefined) return
    this.#screen.enter()
    this.#dispatch({ kind: 'notice', text })
    this.#wake()
  }

  async #deny(id: string): Promise<boolean> {
    for (const line of this.#source.describeHeld(id)) info(line)
    const message = await askLine('Deny this step? Type a message for the agent, or only Enter; Ctrl-C keeps it held: ')
    if (message === undefined) return false
    const given = message.trim()
    return (await answerApproval(id, 'deny', given === '' ? {} : { message: given })) === 0
  }
}

const ANSWERED = { approve: 'Approved.', deny: 'Denied.' }

async function approve(id: string): Promise<boolean> {
  return (await answerApproval(id, 'approve', {})) === 0
}
