// The shortest use of the CLI from end to end, with a given Node and a given copy of the package: set up, check, a hook call,
// the daemon, the log, the trace.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const DANGER = 'git push --force'
const STEP_MS = 60_000

/** Throws at the first step that fails, with its output. Leaves no folder and no daemon behind. */
export async function smoke({ node, arc }) {
  const home = mkdtempSync(join(tmpdir(), 'arc-smoke-'))
  const env = {
    ...{ HOME: home, ARC_HOME: join(home, '.arc'), ARC_DAEMON: 'off', NO_COLOR: '1', LANG: 'C.UTF-8', TMPDIR: home },
    PATH: `${dirname(node)}:/usr/local/bin:/usr/bin:/bin`,
  }
  const run = (args, input) => runArc({ node, arc, args, input, env, cwd: home })
  const payload = { session_id: 's', cwd: home, hook_event_name: 'PreToolUse', tool_use_id: 't', tool_name: 'Bash' }
  try {
    expect(await run(['init', '--enforcement', 'enforce', '--confirm', 'none']), { code: 0 })
    expect(await run(['check', '--', DANGER]), { code: 2, text: 'block' })
    const call = JSON.stringify({ ...payload, tool_input: { command: DANGER } })
    expect(await run(['hook', 'claude'], call), { text: 'risk-detection' })
    expect(await run(['serve', '--background', '--no-open', '--port', '0']), { code: 0 })
    expect(await run(['status']), { code: 0 })
    expect(await run(['stop']), { code: 0 })
    expect(await run(['logs', '--json', '--decision', 'block']), { code: 0, text: 'risk-detection' })
    expect(await run(['trace', 'verify']), { code: 0 })
  } finally {
    await run(['stop'])
    rmSync(home, { recursive: true, force: true, maxRetries: 10 })
  }
}

function expect({ args, code, output }, wanted) {
  const isOk = (wanted.code === undefined || wanted.code === code) && output.includes(wanted.text ?? '')
  if (!isOk) throw new Error(`arc ${args.join(' ')} ended with ${code}, expected ${JSON.stringify(wanted)}:\n${output}`)
}

function runArc({ node, arc, args, input = '', env, cwd }) {
  return new Promise((resolve) => {
    const child = spawn(node, [arc, ...args], { env, cwd, timeout: STEP_MS, killSignal: 'SIGKILL' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ args, code: 1, output: error.message }))
    child.on('close', (code) => resolve({ args, code, output }))
    // A program that ends without reading its input is no failure here.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
