// Runs programs and shows what runs and for how long: a line that ticks on a terminal, a line every ten seconds elsewhere.
// Runs on a fresh clone, so it must import nothing that has to be installed first.

import { spawn } from 'node:child_process'

const TICK_MS = 1_000
const LINE_EVERY_MS = 10_000

/** Runs a program to its end. Its output is collected, so that it can be shown when the program fails. */
export function runProgram(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => (output += text))
    child.on('error', (error) => resolve({ code: 1, output: `${output}${error.message}\n` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/**
 * Shows `describe()` and the elapsed time until `stop` is called, which gives the elapsed time. `clear` makes room for a
 * line of output.
 */
export function showProgress(describe, stream = process.stderr) {
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  const clear = () => {
    if (stream.isTTY) stream.write('\r\x1b[K')
  }
  const show = () => {
    clear()
    stream.write(`${describe()}… ${Math.round(elapsed() / 1000)} s${stream.isTTY ? '' : '\n'}`)
  }
  stream.write(`${describe()}…${stream.isTTY ? '' : '\n'}`)
  const timer = setInterval(show, stream.isTTY ? TICK_MS : LINE_EVERY_MS)
  timer.unref()
  return {
    clear,
    stop() {
      clearInterval(timer)
      clear()
      return elapsed()
    },
  }
}
