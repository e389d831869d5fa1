// An agent as a real process: it calls the installed hook, and then runs the lines that it is given as its children.

import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ARC } from './run-arc.ts'
import { makeTempFolder } from './temp-folder.ts'

const SCRIPT = `#!/bin/bash
while IFS= read -r line; do
  out=$(bash -c "$line" </dev/null 2>&1)
  printf '%s\\n%s %s\\n' "$out" "$1" "$?"
done
`
const END = '--end-of-answer--'

/** How a line ended. */
export interface AgentRan {
  readonly code: number
  readonly output: string
}

/** A supervised agent that runs a given list of calls. */
export class FakeAgent {
  readonly folder = makeTempFolder('arc-agent-')
  readonly #child: ChildProcess
  #said = ''
  #onText: () => void = () => undefined

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const script = join(this.folder, 'agent.sh')
    writeFileSync(script, SCRIPT)
    const arc = `'${process.execPath}' '${ARC}'`
    const all = { ...process.env, NO_COLOR: '1', ARC_DAEMON: 'off', ARC_PROFILE: '', arc, OUT: this.folder, ...env }
    this.#child = spawn('bash', [script, END], { cwd: this.folder, env: all })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text
      this.#onText()
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Runs a line of bash as a child. `$arc` is the command line of the real binary. */
  run(line: string): Promise<AgentRan> {
    return new Promise((resolve) => {
      this.#onText = () => {
        const found = new RegExp(`^([^]*)\\n${END} (\\d+)\\n$`).exec(this.#said)
        if (found === null) return
        this.#said = ''
        resolve({ output: found[1] ?? '', code: Number(found[2]) })
      }
      this.#child.stdin?.write(`${line.replaceAll('\n', ' ')}\n`)
    })
  }

  /** Calls the hook as its host would before a command. */
  callHook(launcher: string, command: string): Promise<AgentRan> {
    const call = { session_id: 's', hook_event_name: 'PreToolUse', tool_use_id: `t${Math.random()}` }
    const payload = JSON.stringify({ ...call, cwd: this.folder, tool_name: 'Bash', tool_input: { command } })
    return this.run(`printf %s '${payload}' | '${launcher}' hook claude`)
  }

  end(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once('close', () => resolve())
      this.#child.stdin?.end()
      this.#child.kill('SIGKILL')
    })
  }
}
