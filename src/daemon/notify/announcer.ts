// Messages about held steps: one when a step waits for approval, one when it is over. Each is sent once, by one process of
// the home. Sending never delays a decision; a target that cannot be reached is recorded.

import type { Approval } from '../../approvals/approvals.ts'
import type { NotifyTarget } from '../../config/config.ts'
import { describe } from '../../engine/errors.ts'
import { keepAliveWhile } from '../../platform/keep-alive.ts'
import type { ApprovalMessage } from '../../protocol/views.ts'
import type { Announcement } from '../../supervisor/supervisor-options.ts'
import { buildApprovalView } from '../live/approval-view.ts'
import { ringBell } from './bell.ts'
import { showOnDesktop } from './desktop.ts'
import { postMessage } from './webhook.ts'

/** Sends messages while its process runs. */
export class Announcer {
  readonly #stopping = new AbortController()
  readonly #sending = new Set<Promise<void>>()

  /** Sends the message that is due, in the background. Never throws. */
  announce(announcement: Announcement): void {
    const sent = this.send(announcement).finally(() => this.#sending.delete(sent))
    this.#sending.add(sent)
  }

  /** Sends the message that is due and waits until every target has it, or has failed. Never rejects. */
  async send({ approval: { id }, approvals, targets, record }: Announcement): Promise<void> {
    const fail = (what: string, error: unknown): void =>
      record({
        component: 'hooks',
        action: 'notify:failed',
        level: 'warn',
        message: `The message about ${id} could not be sent ${what}: ${describe(error)}`,
        data: { approval: { id } },
      })
    try {
      // As it is stored: without secrets.
      const approval = approvals.get(id)
      if (approval === undefined) return
      const kind = approval.status === 'pending' ? 'waiting' : 'over'
      if (!approvals.claimMessage(id, kind)) return
      const isDue = (): boolean => kind === 'over' || approvals.get(id)?.status === 'pending'
      const work = targets.map((target) =>
        this.#sendTo(target, { kind, approval }, isDue).catch((error) => fail(nameTarget(target), error)),
      )
      await keepAliveWhile(Promise.all(work))
    } catch (error) {
      fail('', error)
    }
  }

  /** Ends all attempts; safe to call twice. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#sending)
  }

  async #sendTo(target: NotifyTarget, message: Message, isDue: () => boolean): Promise<void> {
    const { signal } = this.#stopping
    const { kind, approval } = message
    const view = buildApprovalView(approval)
    if (target === 'bell') return kind === 'waiting' ? ringBell(approval.callerPid) : undefined
    if (target === 'desktop') return showOnDesktop({ kind, view }, { signal })
    const body: ApprovalMessage = { type: `approval:${kind}`, approval: view }
    await postMessage(target, JSON.stringify(body), { signal, isDue })
  }
}

interface Message {
  readonly kind: 'waiting' | 'over'
  readonly approval: Approval
}

function nameTarget(target: NotifyTarget): string {
  // Only the host: the path of a webhook often is its secret.
  return typeof target === 'string' ? `to ${target}` : `to ${new URL(target.url).host}`
}
