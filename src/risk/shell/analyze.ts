// The entry to this folder: shell text in, everything that it would run out.

import type { Execution, ShellContext } from './execution.ts'
import { topFrame } from './frame.ts'
import { Interpreter } from './interpreter.ts'
import { clipUnknownText } from './limits.ts'
import { Scope } from './scope.ts'
import { SourceFiles } from './source-files.ts'

/**
 * What a text would run as a shell script, without running anything. Never throws; the same text gives the same result.
 *
 *     analyzeShell('sudo rm -rf build', { cwd: '/srv/app', home: '/home/me' }).commands[0]?.name   // 'rm'
 */
export function analyzeShell(text: string, surroundings: ShellContext): Execution {
  const { files } = surroundings
  const sources = files && new SourceFiles(files, text.length)
  const shell = new Interpreter(text, sources)
  const scope = new Scope(surroundings.cwd, surroundings.home)
  scope.positional = surroundings.positional
  const { commands, snippets, unknown, assigned } = shell.analysis
  try {
    shell.runScript(text, topFrame(text), scope)
    runUncalledFunctions(shell, scope)
  } catch (error) {
    // A stack overflow, or a bug in the analysis: results so far are kept, and the whole text counts as unknown.
    const why = error instanceof RangeError ? 'too-deep' : 'syntax'
    unknown.push({ why, span: { start: 0, end: text.length }, text: clipUnknownText(text) })
  }
  return { commands, snippets, unknown, assigned, sources }
}

// Functions that the shell itself calls on an event.
const CALLED_BY_SHELL = new Set(['command_not_found_handle', 'command_not_found_handler', 'precmd', 'preexec', 'chpwd'])

// Uncalled functions run last: their commands are shown, but do not count.
function runUncalledFunctions(shell: Interpreter, scope: Scope): void {
  const { analysis } = shell
  for (const [name, { node, frame }] of scope.functions) {
    if (analysis.called.has(node)) continue
    const isCalled = CALLED_BY_SHELL.has(name)
    const inner = { ...frame, via: [...frame.via, `${name}()`], isDormant: !isCalled }
    const noted = analysis.unknown.length
    const assigned = new Map(analysis.assigned)
    shell.runBody(node.body, inner, scope.copy())
    if (isCalled) continue
    analysis.unknown.length = noted
    analysis.assigned.clear()
    for (const [variable, word] of assigned) analysis.assigned.set(variable, word)
  }
}
