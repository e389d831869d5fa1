// The step that hooks see, read-only. Data and metadata are frozen copies; data is copied when a hook first reads it.

import { ArcError, show } from './errors.ts'
import { frozenFields, isRecord } from './plain-data.ts'
import type { DataOf, PointSpec } from './points.ts'

/** The origin of a step: session, agent, workspace and so on; all optional. */
export interface StepContext {
  readonly id?: string | undefined
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly agent?: string | undefined
  readonly source?: string | undefined
  readonly workspace?: string | undefined
  readonly host?: string | undefined
  readonly profile?: string | undefined
  /** Facts for the hooks; verdicts add to them. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** A context with every field present. The type makes sure that no field is forgotten when StepContext gets another. */
export type CompleteContext = { readonly [Field in keyof Required<StepContext>]: StepContext[Field] } & {
  readonly id: string
}

/**
 * Completes a step's context: the given fields, then the defaults, then a new id.
 * @example
 * const context = completeContext({ session: 's1' }, { profile: 'default' }, newId)
 */
export function completeContext(given: StepContext, defaults: StepContext, newId: () => string): CompleteContext {
  return {
    id: given.id ?? defaults.id ?? newId(),
    session: given.session ?? defaults.session,
    turn: given.turn ?? defaults.turn,
    agent: given.agent ?? defaults.agent,
    source: given.source ?? defaults.source,
    workspace: given.workspace ?? defaults.workspace,
    host: given.host ?? defaults.host,
    profile: given.profile ?? defaults.profile,
    metadata: given.metadata ?? defaults.metadata,
  }
}

/** A step as plain data: its complete context with the point and the data. */
export function buildEnvelope(context: CompleteContext, point: string, data: object): StepEnvelope {
  const { id, metadata = NO_METADATA, ...facts } = context
  return { id, point, ...facts, data, metadata }
}

/** An action that an agent is about to do or has done. */
export interface Step<Spec = PointSpec> {
  readonly id: string
  readonly point: string
  readonly session: string | undefined
  readonly turn: string | undefined
  readonly agent: string | undefined
  readonly source: string | undefined
  readonly workspace: string | undefined
  readonly host: string | undefined
  readonly profile: string | undefined
  /** The data as the hooks before left it. Frozen: to change it, return `{ modify }`. */
  readonly data: DataOf<Spec>
  readonly metadata: Readonly<Record<string, unknown>>
  /** The envelope as plain JSON. */
  toJSON(): StepEnvelope
}

/** A step as plain data, for handlers outside the process. */
export interface StepEnvelope extends StepContext {
  readonly id: string
  readonly point: string
  readonly data: object
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The state behind a step while it is dispatched. */
export interface StepState {
  readonly point: string
  readonly context: StepContext
  /** The current data. Belongs to the caller or to the dispatch: hooks only see a copy. */
  readonly data: Readonly<Record<string, unknown>>
  readonly metadata: Readonly<Record<string, unknown>>
  readonly id: string
}

/** The view of a step that hooks are given. */
export class StepView implements Step {
  readonly #state: StepState
  #shown: object | undefined
  #copy: object | undefined

  constructor(state: StepState) {
    this.#state = state
    // A hook cannot add anything that other hooks or the sink would see.
    Object.preventExtensions(this)
  }

  get id(): string {
    return this.#state.id
  }
  get point(): string {
    return this.#state.point
  }
  get session(): string | undefined {
    return this.#state.context.session
  }
  get turn(): string | undefined {
    return this.#state.context.turn
  }
  get agent(): string | undefined {
    return this.#state.context.agent
  }
  get source(): string | undefined {
    return this.#state.context.source
  }
  get workspace(): string | undefined {
    return this.#state.context.workspace
  }
  get host(): string | undefined {
    return this.#state.context.host
  }
  get profile(): string | undefined {
    return this.#state.context.profile
  }
  get metadata(): Readonly<Record<string, unknown>> {
    return this.#state.metadata
  }
  get data(): object {
    const { data } = this.#state
    if (this.#shown !== data || this.#copy === undefined) {
      this.#copy = frozenFields(data)
      this.#shown = data
    }
    return this.#copy
  }

  toJSON(): StepEnvelope {
    const { id, point, data, metadata } = this
    return buildEnvelope(
      completeContext({ ...this.#state.context, id, metadata }, {}, () => id),
      point,
      data,
    )
  }

  // Getters would print as nothing.
  [Symbol.for('nodejs.util.inspect.custom')](): StepEnvelope {
    return this.toJSON()
  }
}

/** The metadata of a step without metadata. */
export const NO_METADATA: Readonly<Record<string, unknown>> = Object.freeze({})

/** The initial metadata of a step: a frozen copy. */
export function readMetadata(given: StepContext['metadata'] | null, point: string): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return NO_METADATA
  if (isRecord(given)) return frozenFields(given)
  throw new ArcError('ARC_DATA_INVALID', `The metadata of a step at ${point} must be an object, not ${show(given)}.`)
}
