// Shell text → everything that would really run. The way in to this folder.

import { runBody } from './compound.ts'
import { type Frame, NOWHERE, type Walk } from './context.ts'
import type { Execution, Surroundings } from './execution.ts'
import { clip } from './limits.ts'
import { Scope } from './scope.ts'
import { runScript } from './walk.ts'

/**
 * What a text would run as a shell script, without running anything. Never throws; the same text gives the same answer.
 *
 *     analyzeShell('sudo rm -rf build', { cwd: '/srv/app', home: '/home/me' }).commands[0]?.name   // 'rm'
 */
export function analyzeShell(text: string, surroundings: Surroundings): Execution {
  const walk = newWalk(text, surroundings)
  const scope = new Scope(surroundings.cwd, surroundings.home)
  const frame = topFrame(text)
  try {
    runScript(walk, text, frame, scope)
    runDormant(walk, scope)
  } catch (error) {
    // An overflow of the stack, or a defect of ours: what was found stands, and the whole is not taken for understood.
    const why = error instanceof RangeError ? 'too-deep' : 'syntax'
    walk.unknown.push({ why, span: { start: 0, end: text.length }, text: clip(text) })
  }
  const { commands, snippets, unknown, assigned } = walk
  return { commands, snippets, unknown, assigned }
}

function newWalk(text: string, surroundings: Surroundings): Walk {
  return {
    text,
    surroundings,
    commands: [],
    snippets: [],
    unknown: [],
    assigned: new Map(),
    steps: 0,
    parsedChars: 0,
    isExhausted: false,
    loopDepth: 0,
    choice: 0,
    choicesSeen: 0,
    calling: new Set(),
    called: new Set(),
  }
}

function topFrame(source: string): Frame {
  return {
    source,
    origin: 0,
    via: [],
    place: 'local',
    redirects: NOWHERE,
    input: undefined,
    depth: 0,
    isDormant: false,
    isBackground: false,
    isEndless: false,
  }
}

// Functions that the shell itself calls when something happens.
const CALLED_BY_SHELL = new Set(['command_not_found_handle', 'command_not_found_handler', 'precmd', 'preexec', 'chpwd'])

// Functions that nobody calls are gone through last, so that what they hold can be shown, but not counted.
function runDormant(walk: Walk, scope: Scope): void {
  for (const [name, { node, frame }] of scope.functions) {
    if (walk.called.has(node)) continue
    const isCalled = CALLED_BY_SHELL.has(name)
    const inner = { ...frame, via: [...frame.via, `${name}()`], isDormant: !isCalled }
    const noted = walk.unknown.length
    const assigned = new Map(walk.assigned)
    runBody(walk, node.body, inner, scope.copy())
    if (isCalled) continue
    walk.unknown.length = noted
    walk.assigned.clear()
    for (const [variable, word] of assigned) walk.assigned.set(variable, word)
  }
}
