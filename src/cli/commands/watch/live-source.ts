// Reads what `arc watch` shows from the trace and the state of the home: it works without a daemon, and shows the records of
// every process. Reads only records after the last one, so agents are not slowed.

import { basename } from 'node:path'
import { type Approval, Approvals } from '../../../approvals/approvals.ts'
import { readActions } from '../../../daemon/live/action-pages.ts'
import { readChangedActions } from '../../../daemon/live/action-search.ts'
import { findNewestSeq } from '../../../daemon/live/trace-tail.ts'
import { systemClock } from '../../../platform/engine-services.ts'
import { databaseFile } from '../../../platform/home.ts'
import { newId } from '../../../platform/ids.ts'
import type { Action } from '../../../protocol/feed-views.ts'
import { SqliteStateStore } from '../../../storage/sqlite/state-store.ts'
import { SqliteTraceStore } from '../../../storage/sqlite/trace-store.ts'
import { ProfileHome } from '../../../supervisor/profile-home.ts'
import { canonicalize } from '../../../trace/canonical.ts'
import { buildActionRow, describeStep } from '../../action-rows.ts'
import { heldStepLines, heldStepText } from '../../approval-text.ts'
import { explainStep } from '../../step-explanation.ts'
import { type FeedItem, type HeldItem, MAX_ITEMS, type WatchRead } from './watch-state.ts'

// After more new records than this the newest are read instead of all.
const MAX_BEHIND = 5_000
// How often the mode is read.
const MODE_MS = 5_000

/** The live data of a home. */
export class LiveSource {
  readonly #trace = new SqliteTraceStore(databaseFile())
  readonly #state = new SqliteStateStore(databaseFile())
  readonly #approvals = new Approvals({ state: this.#state, clock: systemClock, newId, canonicalize })
  #after: number | undefined
  #mode = ''
  #modeAt = Number.NEGATIVE_INFINITY

  /** What is new since the last read. */
  async read(): Promise<WatchRead> {
    const newest = findNewestSeq(this.#trace)
    const isReset = this.#after === undefined || newest < this.#after || newest - this.#after > MAX_BEHIND
    const actions = isReset ? await this.#readNewest() : this.#readChanged(this.#after ?? 0)
    const items = actions.map((action): FeedItem => {
      return { id: action.id, seq: action.seq, row: buildActionRow(action, this.#trace) }
    })
    const held = this.#approvals.pending().map(buildHeldItem)
    return { mode: this.#readMode(), now: Date.now(), held, items, isReset }
  }

  async #readNewest(): Promise<readonly Action[]> {
    const { actions, seq } = await readActions(this.#trace, {}, { limit: MAX_ITEMS })
    this.#after = seq
    return actions
  }

  // Later steps of an action replace the earlier row.
  #readChanged(from: number): readonly Action[] {
    const actions: Action[] = []
    for (let after = from; ; ) {
      const page = readChangedActions(this.#trace, after)
      actions.push(...page.actions)
      after = page.after
      this.#after = after
      if (!page.isPart) return actions
    }
  }

  #readMode(): string {
    const now = performance.now()
    if (now - this.#modeAt > MODE_MS) {
      this.#modeAt = now
      this.#mode = new ProfileHome().load().config.enforcement
    }
    return this.#mode
  }

  /** The lines of a held step. */
  describeHeld(id: string): readonly string[] {
    const held = this.#approvals.get(id)
    return held === undefined ? [] : heldStepLines(held)
  }

  /** The lines that explain a held step or an action; undefined if it is gone. */
  explain(id: string): readonly string[] | undefined {
    const held = this.#approvals.get(id)
    const found = this.#trace.get(held?.stepId ?? id)
    const step = found.found === 'step' ? found : undefined
    const pending =
      held ?? this.#approvals.pending().find(({ stepId }) => stepId !== undefined && stepId === step?.record.id)
    if (held === undefined) return step && explainStep({ ...step, pending })
    const lines = heldStepLines(held, { isWhole: true })
    return step === undefined ? lines : [...lines, '', ...explainStep({ ...step, pending })]
  }

  close(): void {
    this.#trace.close()
    this.#state.close()
  }
}

function buildHeldItem({ id, step, expiresAt }: Approval): HeldItem {
  const { workspace, agent, host, tool, point } = step
  const command = describeStep({ tool, point, preview: heldStepText(step) })
  const project = workspace === undefined ? '' : basename(workspace)
  return { id, command, project, agent: agent ?? host ?? '', expiresAt }
}
