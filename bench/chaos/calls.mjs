// The calls of a round: real payloads of Claude Code, each with a marker in its command that no other call has. Most do no
// harm, every tenth must be denied in enforce (of an actor with few calls every second), every twenty-fifth is held for
// approval.

import { readFileSync } from 'node:fs'

const PAYLOAD = JSON.parse(
  readFileSync(new URL('../../src/hosts/claude/fixtures/PreToolUse.json', import.meta.url), 'utf8'),
)

const COMMANDS = {
  harmless: (marker) => `echo ${marker}`,
  dangerous: (marker) => `rm -rf ~/${marker}`,
  held: (marker) => `npm publish --tag ${marker}`,
}

/** Markers as they appear in commands of the trace. */
export const MARKER = /\bchaos-[a-z]+\d*-\d+\b/

/** Counts the calls of one actor and builds their payloads. */
export class Caller {
  #count = 0

  /** `isEnforced`: false where nothing is denied and nothing held. */
  constructor({ name, cwd, isEnforced = true, dangerousEvery = 10 }) {
    this.name = name
    this.dangerousEvery = dangerousEvery
    this.cwd = cwd
    this.isEnforced = isEnforced
  }

  /** The next call. */
  next() {
    const number = ++this.#count
    if (!this.isEnforced) return this.build('harmless', number)
    const isDangerous = number % this.dangerousEvery === 2 % this.dangerousEvery
    const kind = isDangerous ? 'dangerous' : number % 25 === 5 ? 'held' : 'harmless'
    return this.build(kind, number)
  }

  /** A call of a kind. */
  build(kind, number = ++this.#count) {
    const marker = `chaos-${this.name}-${number}`
    const payload = {
      ...PAYLOAD,
      ...{ session_id: `session-${this.name}`, cwd: this.cwd, tool_use_id: `toolu_${marker}` },
      tool_input: { command: COMMANDS[kind](marker) },
    }
    return { marker, kind, payload: JSON.stringify(payload) }
  }
}
