// The services of the engine in Node: clock, ids, patterns and the report of faults.

import { createRequire } from 'node:module'
import type { Clock } from '../engine/clock.ts'
import type { EngineServices } from '../engine/engine.ts'
import type { TextTest } from '../engine/glob.ts'
import type { Fault } from '../engine/outcome.ts'
import { newId } from './ids.ts'

const { hrtime } = process

/** The clock of this process. Its timers never keep the process alive. */
export const systemClock: Clock = {
  // Quicker than hrtime.bigint, whose answer would have to be made a number.
  now: () => {
    const [seconds, nanoseconds] = hrtime()
    return seconds * 1e3 + nanoseconds / 1e6
  },
  wall: () => Date.now(),
  after(ms, callback) {
    // Longer than 2³¹-1 ms would fire at once.
    const timer = setTimeout(callback, Math.min(ms, 2_147_483_647))
    timer.unref()
    return () => clearTimeout(timer)
  },
  soon: (callback) => void setImmediate(callback),
}

/** The services of an engine in a Node process. */
export function nodeServices({ hasSink = false } = {}): EngineServices {
  return { clock: systemClock, newId, regex: linearRegex, report: hasSink ? reportBesideSink : reportAll }
}

/** Compiles a regular expression that runs in linear time, whatever the text. */
export function linearRegex(source: string, flags: string): TextTest {
  const { RE2JS } = loadRe2()
  let bits = 0
  for (const flag of flags) {
    if (flag === 'i') bits |= RE2JS.CASE_INSENSITIVE
    else if (flag === 'm') bits |= RE2JS.MULTILINE
    else if (flag === 's') bits |= RE2JS.DOTALL
    else if (flag !== 'u') throw new Error(`the flag ${flag} is not supported; use i, m, s or u`)
  }
  const compiled = RE2JS.compile(source, bits)
  return (text) => compiled.matcher(text).find()
}

// The linear-time engine is large, and few configurations hold a regular expression: loaded when first used.
let re2: typeof import('re2js') | undefined
function loadRe2(): typeof import('re2js') {
  re2 ??= createRequire(import.meta.url)('re2js') as typeof import('re2js')
  return re2
}

// With a sink, failed hooks are in the trace already; without one, stderr is all there is.
function reportBesideSink(fault: Fault): void {
  if (fault.kind !== 'hook') reportAll(fault)
}

function reportAll({ kind, hook, point, onError, message }: Fault): void {
  if (onError === 'skip') return
  const who = kind === 'hook' ? `hook ${hook}` : hook === undefined ? kind : `${kind} (hook ${hook})`
  process.stderr.write(`arc: ${who} failed at ${point}: ${message}\n`)
}
