// The sample agent: a small program that works in a real git repository and calls a supervisor before each message, tool
// call, task and turn end, as an agent built with the library does. Its plan is fixed and shows every kind of decision;
// all its actions stay in its temporary folder, even if nothing blocks them.

import { setTimeout as sleep } from 'node:timers/promises'
import type { ModeInput } from '../../../engine/mode.ts'
import type { Outcome } from '../../../engine/outcome.ts'
import type { ToolArgs } from '../../../engine/points.ts'
import type { StepContext } from '../../../engine/step.ts'
import { newId } from '../../../platform/ids.ts'
import { createSupervisor } from '../../../supervisor/create-supervisor.ts'
import type { Supervisor } from '../../../supervisor/supervisor.ts'
import { openTasks } from '../../../tasks/service/open-tasks.ts'
import { logMoves } from '../../../tasks/service/task-log.ts'
import { admitBy } from '../../../tasks/service/task-supervision.ts'
import { context } from '../../context.ts'
import type { SampleEvent } from './sample-events.ts'
import { SAMPLE_HOST } from './sample-home.ts'
import { registerSampleHooks } from './sample-hooks.ts'
import { SAMPLE_TOOLS, type ToolName } from './sample-tools.ts'
import { SAMPLE_PROFILE } from './workspace.ts'

/** The options of the agent. */
export interface AgentOptions {
  readonly configHome: string
  readonly mode: ModeInput
  /** How long to wait for an approval. */
  readonly waitMs: number
}

/** Works through the plan in the current folder and prints each step as JSON. */
export async function runSampleAgent({ configHome, mode, waitMs }: AgentOptions): Promise<number> {
  // The agent prints the held step before it waits, so the supervisor must not wait.
  const options = { configHome, profile: SAMPLE_PROFILE, enforcement: mode, askMs: 0, notify: () => undefined }
  const supervisor = await createSupervisor({ via: 'cli', ...options })
  registerSampleHooks(supervisor.engine)
  const tell = (event: SampleEvent): void => void context().stdout.write(`${JSON.stringify(event)}\n`)
  try {
    await new SampleAgent(supervisor, { repository: context().cwd, waitMs, tell }).work()
    return 0
  } finally {
    await supervisor.close()
  }
}

interface AgentSetting {
  readonly repository: string
  readonly waitMs: number
  readonly tell: (event: SampleEvent) => void
}

const POLL_MS = 100

class SampleAgent {
  readonly #supervisor: Supervisor
  readonly #place: AgentSetting
  readonly #context: StepContext

  constructor(supervisor: Supervisor, place: AgentSetting) {
    this.#supervisor = supervisor
    this.#place = place
    const session = `sample-${newId().slice(-6).toLowerCase()}`
    this.#context = { session, agent: 'sample-agent', host: SAMPLE_HOST, workspace: place.repository }
  }

  async work(): Promise<void> {
    await this.#dispatch('session:start', { reason: 'startup' }, { source: 'system' })
    await this.#hear('Fix the failing test, please. The key is sk-live-0000111122223333.')
    await this.#use('read_file', { path: 'sum.js' })
    await this.#use('shell', { command: 'sh test.sh' })
    await this.#use('shell', { command: 'cat .env' })
    await this.#use('edit_file', { path: 'sum.js', old_string: 'a - b', new_string: 'a + b' })
    await this.#endTurn(0)
    await this.#use('shell', { command: 'sh test.sh' })
    await this.#use('shell', { command: 'git commit -am "fix sum; never rm -rf / in a script"' })
    await this.#use('shell', { command: 'git push --force origin HEAD:main' })
    await this.#use('shell', { command: 'git push --quiet origin fix-sum' })
    await this.#use('shell', { command: 'git branch -D experiment' })
    await this.#delegate()
    await this.#discuss()
    await this.#endTurn(1)
    await this.#dispatch('session:end', { reason: 'exit' }, { source: 'system' })
  }

  async #hear(prompt: string): Promise<void> {
    const { id, outcome } = await this.#dispatch('pre:message', { prompt }, { source: 'human' })
    const read = promptIn(outcome)
    this.#tell({ id, outcome, point: 'pre:message', what: prompt, ...(read !== prompt && { result: read }) })
  }

  async #use(tool: ToolName, args: ToolArgs): Promise<void> {
    const what = `${tool} ${args.command ?? args.path}`
    const { id, outcome } = await this.#dispatch('pre:tool', { tool, args })
    if (outcome.decision === 'ask') return this.#waitFor({ id, outcome, what }, tool, args)
    if (outcome.blocked) return this.#tell({ id, outcome, point: 'pre:tool', what, result: 'not run' })
    await this.#run({ id, outcome, what }, tool)
  }

  async #run({ id, outcome, what }: Asked, tool: ToolName): Promise<void> {
    const { args } = outcome.data as { readonly args: ToolArgs }
    const startedAt = performance.now()
    const result = await SAMPLE_TOOLS[tool](this.#place.repository, args)
    // Links the two steps of the call on the dashboard.
    const metadata = { preStep: id, sinceMs: performance.now() - startedAt }
    const after = await this.#dispatch('post:tool', { tool, args, result }, { metadata })
    // The result as the model reads it, after the edits of hooks.
    const { result: read } = after.outcome.data as { readonly result: unknown }
    this.#tell({ id, outcome, point: 'pre:tool', what, result: String(read) })
    if (read === result && after.outcome.decision === 'pass') return
    this.#tell({ ...after, point: 'post:tool', what })
  }

  // After an approval, by `arc approvals` or on the dashboard, the same call passes once.
  async #waitFor({ id, outcome, what }: Asked, tool: ToolName, args: ToolArgs): Promise<void> {
    const { approval } = outcome.metadata as { readonly approval?: { readonly id: string } }
    if (approval === undefined) return this.#tell({ id, outcome, point: 'pre:tool', what, result: 'not run' })
    this.#tell({ id, outcome, point: 'pre:tool', what })
    const { waitMs, tell } = this.#place
    tell({ kind: 'hold', approval: approval.id, waitMs })
    const status = await this.#answerTo(approval.id)
    if (status === 'approved') {
      const again = await this.#dispatch('pre:tool', { tool, args })
      return this.#run({ ...again, what }, tool)
    }
    const reason = status === 'denied' ? 'denied' : 'no answer in time'
    const refused = { ...outcome, decision: 'block', reason, hook: undefined, suggestion: undefined } as const
    this.#tell({ id, outcome: refused, point: 'pre:tool', what, result: `not run: ${reason}` })
  }

  async #answerTo(id: string): Promise<'approved' | 'denied' | 'unanswered'> {
    const { approvals } = this.#supervisor
    const until = performance.now() + this.#place.waitMs
    for (;;) {
      const status = approvals.get(id)?.status
      if (status === 'approved' || status === 'denied') return status
      if (performance.now() >= until) break
      await sleep(POLL_MS)
    }
    // The approval is closed, since its step is over; an answer at the same moment still counts.
    try {
      approvals.answer(id, 'deny', { by: 'sample-agent, after its time limit' })
      return 'unanswered'
    } catch {
      return approvals.get(id)?.status === 'approved' ? 'approved' : 'denied'
    }
  }

  async #delegate(): Promise<void> {
    const { trace, config } = this.#supervisor
    const what = 'a task for reviewer: Review the fix'
    let asked: Omit<Asked, 'what'> | undefined
    const dispatch = async (point: string, data: object, context: StepContext): Promise<Outcome> => {
      asked = await this.#dispatch(point, data, { ...context, agent: 'sample-agent' })
      return asked.outcome
    }
    const admit = admitBy({ dispatch: dispatch as Supervisor['dispatch'] })
    const tasks = await openTasks({ admit, onMove: logMoves(trace, config.profile) })
    try {
      const { task } = await tasks.delegator.delegate({
        ...{ from: 'sample-agent', to: 'reviewer', description: 'Review the fix' },
      })
      await tasks.delegator.accept(task.id, 'reviewer')
      const { output } = await tasks.delegator.complete(task.id, 'reviewer', 'No issues found')
      if (asked !== undefined) this.#tell({ ...asked, point: 'pre:agent:spawn', what, result: `done: ${output}` })
    } finally {
      tasks.close()
    }
  }

  // Two agents take turns; one of them speaks out of turn.
  async #discuss(): Promise<void> {
    await this.#hear('roundtable: Is the fix ready to merge? agents: ada, ben rounds: 1')
    await this.#say('ben', 'I speak before it is my turn.')
    await this.#say('ada', 'The test passes and the change is one character: yes.')
    await this.#say('ben', 'The commit message could be better, but yes.')
    await this.#say('ada', 'Both of us would merge it.')
  }

  async #say(agent: string, text: string): Promise<void> {
    const asked = await this.#dispatch('pre:message', { prompt: text, sender: agent }, { agent, source: 'agent' })
    this.#tell({ ...asked, point: 'pre:message', what: `${agent}: ${text}` })
  }

  async #endTurn(continues: number): Promise<void> {
    const output = continues === 0 ? 'Done.' : 'Done: sum adds again, and the test passes. Verified by running it.'
    const asked = await this.#dispatch('pre:turn:end', { continues, output })
    const result = asked.outcome.control === 'continue' ? 'the agent continues' : 'the turn ends'
    this.#tell({ ...asked, point: 'pre:turn:end', what: 'the agent ends its turn', result })
  }

  async #dispatch(point: string, data: object, context: StepContext = {}): Promise<Omit<Asked, 'what'>> {
    const id = newId()
    const whole = { ...this.#context, turn: 'turn-1', ...context, id }
    return { id, outcome: await this.#supervisor.decide(point, data, whole) }
  }

  #tell({ id, outcome, point, what, result }: Told): void {
    const found = this.#supervisor.trace.get(id)
    const { decision, wouldBe, blocked, control, hook, reason, suggestion } = outcome
    this.#place.tell({
      ...{ kind: 'step', id, point, what },
      outcome: { decision, wouldBe, blocked, control, hook, reason, suggestion },
      evaluations: found.found === 'step' ? found.evaluations : [],
      ...(result !== undefined && { result }),
    })
  }
}

/** A step that was sent through the pipeline. */
interface Asked {
  readonly id: string
  readonly outcome: Outcome
  readonly what: string
}

interface Told extends Asked {
  readonly point: string
  readonly result?: string
}

function promptIn({ data }: Outcome): string {
  return String((data as { readonly prompt?: unknown }).prompt)
}
