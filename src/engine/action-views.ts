// One action at several points: a tool call that writes a file is also a file write. The hooks of each point see the
// action in the data of their point; an edit there becomes an edit of the action itself.

import type { Applicable } from './apply-by-mode.ts'
import { DECISION_RANK, type Decision } from './decision.ts'
import type { Plan } from './table.ts'

type Data = Readonly<Record<string, unknown>>

/** What the caller of a dispatch can carry out. Without it everything can be. */
export interface Honours {
  /** Can the action still be stopped? */
  readonly block: boolean
  /** Can the action be held until a person answers? */
  readonly ask: boolean
  /** Who cannot, for records and notices: the name of the host. */
  readonly who: string
  /** Can this new value of a field of the data be used? */
  canEdit(field: string, value: unknown): boolean
}

/** A further step that the same action is. */
export interface DerivedStep {
  readonly point: string
  /** Before the hooks of the action itself; default after them. */
  readonly isBefore?: boolean | undefined
  /** Only if nothing stops or holds the action. */
  readonly isAfterPass?: boolean | undefined
  /** The most that can be carried out here; default: as for the action. */
  readonly honours?: Partial<Pick<Honours, 'block' | 'ask'>> | undefined
  /** The data at this point, from the data of the action with the edits so far; undefined where it is no such step. */
  read(action: Data): Data | undefined
  /** The data of the action with the edited data of this point; undefined where the action cannot express it. */
  write?(action: Data, edited: Data): Data | undefined
}

/** Lists the further steps of an action. `hasHooks`: whether a step at this point would meet a hook. */
export type DeriveSteps = (hasHooks: (point: string) => boolean) => readonly DerivedStep[]

/** A derived step with the hooks that it meets. */
export interface DerivedView {
  readonly step: DerivedStep
  readonly plan: Plan
}

const ALL: Applicable = { block: true, ask: true, edit: true, who: 'the caller' }

/** The points of one action, one after the other, and the data of the action at each. */
export class ActionViews {
  readonly #main: Plan
  readonly #honours: Honours | undefined
  /** In order; undefined is the action itself. */
  readonly #views: readonly (DerivedView | undefined)[]
  #at = -1
  #isAction = true
  /** The data of the action, while another point is visited. */
  #action: Data

  constructor(main: Plan, data: Data, honours: Honours | undefined, derived: readonly DerivedView[] = []) {
    this.#main = main
    this.#honours = honours
    this.#action = data
    const before = derived.filter(({ step }) => step.isBefore === true)
    this.#views = [...before, undefined, ...derived.filter(({ step }) => step.isBefore !== true)]
  }

  /** Is it the turn of the action itself? */
  get isAction(): boolean {
    return this.#isAction
  }

  /** The next point and the data there; undefined after the last. */
  next(data: Data, decision: Decision): { readonly plan: Plan; readonly data: Data } | undefined {
    if (this.#isAction) this.#action = data
    while (++this.#at < this.#views.length) {
      const view = this.#views[this.#at]
      this.#isAction = view === undefined
      if (view === undefined) return { plan: this.#main, data: this.#action }
      const isSkipped = view.step.isAfterPass === true && DECISION_RANK[decision] >= DECISION_RANK.ask
      const seen = isSkipped ? undefined : view.step.read(this.#action)
      if (seen !== undefined) return { plan: view.plan, data: seen }
    }
    return undefined
  }

  /** Returns to the action itself: its plan, and its data with all edits. */
  leave(data: Data): { readonly plan: Plan; readonly data: Data } {
    if (this.#isAction) this.#action = data
    this.#at = this.#views.length
    this.#isAction = true
    return { plan: this.#main, data: this.#action }
  }

  /** What can be carried out of a verdict with this edit; `edited` is the data with the edit. */
  findApplicable(edit: Data | undefined, edited: () => Data): Applicable {
    const honours = this.#honours
    const step = this.#views[this.#at]?.step
    if (step === undefined && honours === undefined) return ALL
    return {
      block: step?.honours?.block ?? honours?.block ?? true,
      ask: step?.honours?.ask ?? honours?.ask ?? true,
      edit: edit === undefined || this.#canEdit(edit, edited),
      who: honours?.who ?? ALL.who,
    }
  }

  /** Carries the edited data of a derived step into the action. */
  edit(edited: Data): void {
    const written = this.#views[this.#at]?.step.write?.(this.#action, edited)
    if (written !== undefined) this.#action = written
  }

  #canEdit(edit: Data, edited: () => Data): boolean {
    const view = this.#views[this.#at]
    const honours = this.#honours
    const isUsable = (data: Data) => (field: string) => honours?.canEdit(field, data[field]) ?? true
    if (view === undefined) return Object.keys(edit).every(isUsable(edit))
    const written = view.step.write?.(this.#action, edited())
    if (written === undefined) return false
    const action = this.#action
    return Object.keys(written)
      .filter((field) => written[field] !== action[field])
      .every(isUsable(written))
  }
}
