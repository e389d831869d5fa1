// A bus within one process.

import { BaseBus, type SentMessage } from '../base-bus.ts'

/** Messages in memory; nothing is kept beyond its delivery. */
export class MemoryBus extends BaseBus {
  #published = 0
  #queue: { readonly sent: SentMessage; readonly at: number }[] = []

  protected send(sent: SentMessage): void {
    const at = ++this.#published
    if (this.subscriptions.size === 0) return
    this.#queue.push({ sent, at })
    if (this.#queue.length === 1) this.services.clock.soon(() => this.#drain())
  }

  protected head(): number {
    return this.#published
  }

  protected hasOthers(): boolean {
    return false
  }

  protected onSubscribed(): void {
    // No other process to notify.
  }

  protected onUnsubscribed(): void {
    if (this.subscriptions.size === 0) this.#queue = []
  }

  // What is published meanwhile waits for the next round: agents that answer each other must not hold up the process.
  #drain(): void {
    const due = this.#queue
    this.#queue = []
    for (const { sent, at } of due) this.deliver(sent, at)
  }
}
