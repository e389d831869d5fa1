// A small agent that really works: it reads, edits and runs commands in a folder of its own, and every message, tool
// call and turn's end passes the engine first. Its plan is fixed, so that each kind of decision is seen once.

import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Outcome } from '../../core/outcome.ts'
import type { ToolArgs } from '../../core/points.ts'
import type { HookEngine } from '../../runtime/engine.ts'

/** One thing that happened in the session. */
export interface SampleStep {
  readonly point: string
  /** What the agent was about to do, in one line. */
  readonly what: string
  readonly outcome: Outcome
  /** What came of it, in one line. */
  readonly result?: string
}

const FILES = {
  'sum.mjs': 'export const sum = (a, b) => a - b\n',
  'sum.test.mjs':
    "import assert from 'node:assert'\nimport { sum } from './sum.mjs'\nassert.equal(sum(2, 3), 5)\nconsole.log('1 test passed')\n",
  '.env': 'API_KEY=sk-live-0000111122223333\n',
  '.env.example': 'API_KEY=sk-test-0000\n',
  'build/old.js': '// built long ago\n',
}

/** Plays the session, reporting each step, and leaves nothing behind. */
export async function playSession(engine: HookEngine, onStep: (step: SampleStep) => void): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), 'arc-sample-'))
  // Also when whoever reads what is printed goes away, which ends the process at once.
  const remove = (): void => rmSync(workspace, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    for (const [name, content] of Object.entries(FILES)) await writeIn(workspace, name, content)
    await new SampleAgent(engine, workspace, onStep).work()
  } finally {
    process.off('exit', remove)
    remove()
  }
}

class SampleAgent {
  readonly #engine: HookEngine
  readonly #workspace: string
  readonly #onStep: (step: SampleStep) => void
  readonly #context: { session: string; agent: string; source: string; host: string; workspace: string }

  constructor(engine: HookEngine, workspace: string, onStep: (step: SampleStep) => void) {
    this.#engine = engine
    this.#workspace = workspace
    this.#onStep = onStep
    this.#context = { session: 'sample', agent: 'sample-agent', source: 'human', host: 'sample', workspace }
  }

  async work(): Promise<void> {
    await this.#hear('Fix the failing test, please. The key is sk-live-0000111122223333.')
    await this.#use('read_file', { path: '.env' })
    await this.#use('read_file', { path: '.env.example' })
    await this.#use('shell', { command: 'node sum.test.mjs' })
    await this.#use('write_file', { path: 'sum.mjs', content: 'export const sum = (a, b) => a + b\n' })
    await this.#use('shell', { command: 'echo "never use rm -rf in scripts" >> NOTES.md' })
    await this.#use('shell', { command: 'rm -rf build' })
    await this.#endTurn(0)
    await this.#use('shell', { command: 'node sum.test.mjs' })
    await this.#use('shell', { command: 'git push --force origin main' })
    await this.#endTurn(1)
  }

  async #hear(prompt: string): Promise<void> {
    const outcome = await this.#engine.dispatch('pre:message', { prompt }, this.#context)
    this.#onStep({ point: 'pre:message', what: prompt, outcome, result: outcome.data.prompt })
  }

  async #use(tool: keyof typeof TOOLS, args: ToolArgs): Promise<void> {
    const what = `${tool} ${args.command ?? args.path}`
    const before = await this.#engine.dispatch('pre:tool', { tool, args }, this.#context)
    if (before.blocked) return this.#onStep({ point: 'pre:tool', what, outcome: before, result: 'not run' })
    const result = await TOOLS[tool](this.#workspace, before.data.args)
    this.#onStep({ point: 'pre:tool', what, outcome: before, result })
    const after = await this.#engine.dispatch('post:tool', { tool, args: before.data.args, result }, this.#context)
    if (after.data.result !== result || after.decision !== 'pass') {
      this.#onStep({ point: 'post:tool', what, outcome: after, result: String(after.data.result) })
    }
  }

  async #endTurn(continues: number): Promise<void> {
    const outcome = await this.#engine.dispatch('pre:turn:end', { continues, output: 'Done.' }, this.#context)
    const result = outcome.control === 'continue' ? 'the agent goes on' : 'the turn ends'
    this.#onStep({ point: 'pre:turn:end', what: 'the agent says it is done', outcome, result })
  }
}

/** The agent's tools: real files and a real shell, inside its own folder. */
const TOOLS = {
  read_file: (workspace: string, args: ToolArgs) => readFile(join(workspace, String(args.path)), 'utf8'),
  write_file: async (workspace: string, args: ToolArgs) => {
    await writeIn(workspace, String(args.path), String(args.content))
    return 'written'
  },
  shell: async (workspace: string, args: ToolArgs) => {
    try {
      const { stdout } = await run('sh', ['-c', String(args.command)], { cwd: workspace, timeout: 10_000 })
      return stdout.trim() || 'done'
    } catch (error) {
      return `failed: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`
    }
  },
}

const run = promisify(execFile)

async function writeIn(workspace: string, name: string, content: string): Promise<void> {
  const path = join(workspace, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}
