// Runs the real binary as users do. $ARC_BIN names another one to test, such as that of an installed package.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Ran } from './json-output.ts'
import { publicBuild } from './other-user.ts'

export { jsonLines, onlyJson, type Ran } from './json-output.ts'

/** The binary under test. */
export const ARC = process.env.ARC_BIN ?? fileURLToPath(new URL('../bin/arc', import.meta.url))

/** Where and as whom to run. */
export interface RunOptions {
  readonly home: string
  readonly cwd?: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly uid?: number
}

/** Runs `arc` with its own home and waits for its end. */
export function runArc(args: readonly string[], { home, env, ...options }: RunOptions): Promise<Ran> {
  const { node, arc } = options.uid === undefined ? { node: process.execPath, arc: ARC } : publicBuild()
  return runProgram(node, [arc, ...args], { ...options, env: { ARC_HOME: home, ...env } })
}

/** Runs a program in the environment of the tests: without a profile, a daemon and colours unless told. */
export function runProgram(program: string, args: readonly string[], options: Omit<RunOptions, 'home'>): Promise<Ran> {
  const { cwd, input = '', env, uid } = options
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      ...(uid !== undefined && { uid, gid: uid }),
      env: { ...process.env, NO_COLOR: '1', ARC_PROFILE: '', ARC_DAEMON: process.env.ARC_DAEMON ?? 'off', ...env },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    // One that ends without reading is no error of the test.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
