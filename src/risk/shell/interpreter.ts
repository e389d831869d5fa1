// Interprets a script without running it: lists, pipes, groups, substitutions, nested scripts.
// It finds the commands that run, and the state of the shell they run in. Simple and compound commands, expansions and
// the table of programs are separate modules; they call back through interpreter-port.ts.

import type {
  AndOr,
  CommandNode,
  CompoundList,
  Coproc,
  Function as FunctionNode,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirected,
  Statement,
  Word as WordNode,
  WordPart,
} from 'unbash'
import type { Span } from '../assessment.ts'
import { Analysis } from './analysis.ts'
import { runCompound } from './compound-command.ts'
import type { Input, ShellCommand, Snippet, Word } from './execution.ts'
import { expandRedirects } from './expansion/redirects.ts'
import { expandText, joinParts } from './expansion/words.ts'
import { type Field, type Frame, makeField, NO_REDIRECTS, type Output, spanAt, UNKNOWN_INPUT } from './frame.ts'
import type { InterpreterPort, Substitution } from './interpreter-port.ts'
import type { Code, ShellInvocation } from './invocation.ts'
import { clipUnknownText, MAX_FROM, MAX_VALUE_CHARS } from './limits.ts'
import { isDynamic } from './nested-code.ts'
import { noteErrors, parseScript } from './parse-script.ts'
import { baseName } from './paths.ts'
import { mergeValues, type Scope, type Value } from './scope.ts'
import { runCall, runSimpleCommand } from './simple-command.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'
import { isTouched, resolveLocal } from './touched-files.ts'

/** Interprets one text. */
export class Interpreter implements InterpreterPort {
  readonly analysis: Analysis

  constructor(text: string, sources?: SourceFiles) {
    this.analysis = new Analysis(text, sources)
  }

  /** Runs a text as a script. Its frame says where the text comes from. */
  runScript(text: string, frame: Frame, scope: Scope): Output {
    if (text.trim() === '') return ''
    if (this.analysis.isTooDeep(frame, spanAt(frame, 0, text.length))) return undefined
    const inner = frame.source === text ? frame : { ...frame, source: text }
    const script = parseScript(this.analysis, text, inner)
    return script && this.runStatements(script.commands, inner, scope)
  }

  runList(list: CompoundList, frame: Frame, scope: Scope): Output {
    return this.runStatements(list.commands, frame, scope)
  }

  runBody(body: FunctionNode['body'] | Coproc['body'], frame: Frame, scope: Scope): Output {
    return body.type === 'CompoundList' ? this.runList(body, frame, scope) : this.runNode(body, frame, scope)
  }

  /** Runs a command of any kind. */
  runNode(node: PipelineNode, frame: Frame, scope: Scope): Output {
    const span = spanAt(frame, node.pos, node.end)
    if (!this.analysis.spend(1, span)) return undefined
    switch (node.type) {
      case 'Command':
        return runSimpleCommand(this, node, frame, scope)
      case 'Pipeline':
        return this.runPipeline(node, frame, scope)
      case 'Redirected':
        return this.runRedirected(node, frame, scope)
      default:
        if (this.analysis.isTooDeep(frame, span)) return undefined
        return runCompound(this, node, { ...frame, depth: frame.depth + 1 }, scope)
    }
  }

  runCall(call: ShellInvocation): Output {
    return runCall(this, call)
  }

  // Unknown parts of a script are in its text as variables.
  runCode(call: ShellInvocation, code: Code, via: string, scope: Scope, change?: Partial<Frame>): Output {
    if (isDynamic(code)) {
      this.noteDynamicScript(call, code)
      return undefined
    }
    const frame: Frame = {
      ...call.frame,
      redirects: call.redirects,
      input: call.input,
      ...change,
      source: code.text,
      origin: code.at ?? call.span,
      via: [...call.frame.via, via],
      depth: call.frame.depth + 1,
    }
    const output = code.file ? this.runScriptFile(code.file, frame, scope) : this.runScript(code.text, frame, scope)
    return code.isKnown ? output : undefined
  }

  private runScriptFile(file: SourceFile, frame: Frame, scope: Scope): Output {
    const before = scope.get('BASH_SOURCE')
    scope.set('BASH_SOURCE', { text: file.path, isKnown: true })
    const output = this.analysis.runFile(file, () => this.runScript(file.text, frame, scope))
    if (before) scope.set('BASH_SOURCE', before)
    else scope.variables.delete('BASH_SOURCE')
    return output
  }

  openFile(call: ShellInvocation, path: string, hasTargets = false): Code | undefined {
    const { sources, commands } = this.analysis
    const resolved = sources && resolveLocal(call, path)
    if (resolved === undefined) return undefined
    const file = sources?.open(resolved, { isTouched: isTouched(commands, resolved), calledAt: call.span, hasTargets })
    return file && { text: file.text, isKnown: true, at: file.base, isFile: true, file }
  }

  hasFile(call: ShellInvocation, path: string): boolean {
    const { sources } = this.analysis
    const resolved = sources && resolveLocal(call, path)
    return resolved !== undefined && (call.scope.files.has(resolved) || sources?.has(resolved) === true)
  }

  runFile<T>({ file }: Code, run: () => T, part?: string): T | undefined {
    return file === undefined ? run() : this.analysis.runFile(file, run, part)
  }

  substitute(part: Substitution, frame: Frame, scope: Scope): Value {
    const { analysis } = this
    const span = spanAt(frame, part.pos, part.end)
    const asWritten: Value = { text: part.text, isKnown: false }
    if (analysis.isTooDeep(frame, span) || !analysis.spendParsing((part.end - part.pos) * (frame.depth + 1), span))
      return asWritten
    const script = this.readNestedScript(part, span)
    if (!script) return asWritten
    const inner: Frame = {
      ...frame,
      source: script.source ?? frame.source,
      origin: script.source === undefined ? frame.origin : span,
      via: [...frame.via, part.type === 'ProcessSubstitution' ? '<( )' : '$( )'],
      redirects: NO_REDIRECTS,
      // The input of `>( )` is unknown before the command that writes it.
      input: part.operator === '>' ? UNKNOWN_INPUT : frame.input,
      depth: frame.depth + 1,
    }
    noteErrors(analysis, script, inner, span)
    const start = analysis.commands.length
    const { choice, choicesSeen } = analysis
    const output = this.runStatements(script.commands, inner, scope.copy())
    analysis.choice = choice
    analysis.choicesSeen = choicesSeen
    const from = analysis.commands.slice(start, start + MAX_FROM)
    if (output === undefined) return { ...asWritten, from }
    return { text: stripNewlines(output), isKnown: true, from: from.length > 0 ? from : undefined }
  }

  expandText(word: WordNode, frame: Frame, scope: Scope): Field {
    return expandText(this, word, frame, scope)
  }

  joinParts(parts: readonly WordPart[], frame: Frame, scope: Scope, span: Span): Field {
    return joinParts(this, parts, frame, scope, span)
  }

  emit(call: ShellInvocation, extra?: Partial<ShellCommand>): ShellCommand {
    const [first, ...args] = call.fields
    const { frame, scope, span, redirects, input, env } = call
    const command: ShellCommand = {
      name: first?.isKnown && !(first.isGlob && first.text.length > 1) ? baseName(first.text) : undefined,
      ...(first?.isKnown && first.text.includes('/') && { path: first.text }),
      args,
      span,
      redirects,
      input,
      cwd: scope.cwd,
      via: frame.via,
      location: frame.location,
      env,
      ...(frame.isDormant && { isDormant: true }),
      ...(frame.isBackground && { isBackground: true }),
      ...(frame.isEndless && { isEndless: true }),
      ...extra,
    }
    this.analysis.commands.push(command)
    return command
  }

  addSnippet(snippet: Snippet): void {
    this.analysis.snippets.push(snippet)
  }

  setVariable(name: string, value: Value, span: Span, scope: Scope): void {
    scope.set(name, value)
    const word = makeField(value.text, span, value.isKnown)
    this.noteAssigned(name, word)
    if (scope.exported.has(name)) scope.export(name, word)
  }

  noteAssigned(name: string, word: Word): void {
    this.analysis.assigned.set(name, word)
  }

  noteDynamicScript(call: ShellInvocation, { text, from }: Code): void {
    const shown = clipUnknownText(text || this.analysis.text.slice(call.span.start, call.span.end))
    this.analysis.noteUnknown({
      why: 'dynamic-script',
      span: call.span,
      text: shown,
      ...(from?.length && { from }),
    })
  }

  spend(steps: number, span: Span): boolean {
    return this.analysis.spend(steps, span)
  }

  /** Runs statements in order in the same shell. */
  private runStatements(statements: readonly Statement[], frame: Frame, scope: Scope): Output {
    let output: Output = ''
    for (const statement of statements) {
      if (this.analysis.isExhausted) return undefined
      output = joinOutput(output, this.runStatement(statement, frame, scope))
    }
    return output
  }

  private runStatement(statement: Statement, frame: Frame, scope: Scope): Output {
    const { command } = statement
    const isBackground = statement.background === true
    const inner = isBackground && !frame.isBackground ? { ...frame, isBackground } : frame
    const shellScope = isBackground ? scope.copy() : scope
    return command.type === 'AndOr'
      ? this.runAndOr(command, inner, shellScope)
      : this.runNode(command, inner, shellScope)
  }

  // The right side of && and || may not run: a variable set there has either value. Where the left side of || was a cd,
  // the right side runs only if the cd failed.
  private runAndOr(node: AndOr, frame: Frame, scope: Scope): Output {
    let output: Output = ''
    let folderBefore = scope.cwd
    for (const [index, command] of node.commands.entries()) {
      if (this.analysis.isExhausted) return undefined
      const isElse = index > 0 && node.operators[index - 1] === '||'
      const folderAfter = scope.cwd
      const variables = index > 0 && scope.variables.size > 0 ? new Map(scope.variables) : undefined
      if (isElse) scope.cwd = folderBefore
      output = joinOutput(output, this.runNode(command, frame, scope))
      if (isElse) scope.cwd = scope.cwd === folderBefore || scope.cwd === folderAfter ? folderAfter : undefined
      folderBefore = folderAfter
      if (variables) mergeOldValues(scope, variables)
    }
    return node.operators.includes('||') ? undefined : output
  }

  private runRedirected(node: Redirected, frame: Frame, scope: Scope): Output {
    const { commands } = this.analysis
    const around = expandRedirects(this, node.redirects, frame, scope)
    const start = commands.length
    const inner: Frame = {
      ...frame,
      redirects: [...frame.redirects, ...around.redirects],
      input: around.input ?? frame.input,
    }
    const output = this.runNode(node.command, inner, scope)
    return around.writeTo(scope, output, commands.slice(start, start + MAX_FROM))
  }

  private runPipeline(node: Pipeline, frame: Frame, scope: Scope): Output {
    const isTimed = node.prefixes.some((prefix) => prefix.type === 'Time')
    const inner = isTimed ? { ...frame, via: [...frame.via, 'time'] } : frame
    if (node.commands.length === 1 && node.commands[0]) return this.runNode(node.commands[0], inner, scope)
    return this.runPipeSegments(node.commands, inner, scope)
  }

  private runPipeSegments(segments: readonly CommandNode[], frame: Frame, scope: Scope): Output {
    const { commands } = this.analysis
    let input: Input | undefined = frame.input
    let output: Output
    const before: ShellCommand[] = []
    for (const [index, segment] of segments.entries()) {
      if (this.analysis.isExhausted) return undefined
      const subshell = scope.copy()
      const start = commands.length
      output = this.runNode(segment, input === frame.input ? frame : { ...frame, input }, subshell)
      before.unshift(...commands.slice(start, start + MAX_FROM).reverse())
      before.length = Math.min(before.length, MAX_FROM)
      input = { from: before.slice(), text: output }
      // Some shells run the last segment of a pipe in the current shell: `echo rm | read x; $x`.
      if (index === segments.length - 1) adoptVariables(scope, subshell)
    }
    return output
  }

  // The parser reads a nested script on first access, and may overflow the stack there.
  private readNestedScript(
    part: { readonly text: string; readonly script: ParsedScript | undefined },
    span: Span,
  ): ParsedScript | undefined {
    try {
      const { script } = part
      if (!script) this.analysis.noteUnknown({ why: 'syntax', span, text: clipUnknownText(part.text) })
      return script
    } catch {
      // The parser throws nothing but a stack overflow.
      this.analysis.noteUnknown({ why: 'too-deep', span, text: clipUnknownText(part.text) })
      return undefined
    }
  }
}

function stripNewlines(text: string): string {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) === 0x0a) end--
  return text.slice(0, end)
}

function joinOutput(before: Output, next: Output): Output {
  if (before === undefined || next === undefined || before.length + next.length > MAX_VALUE_CHARS) return undefined
  return before + next
}

function mergeOldValues(scope: Scope, before: ReadonlyMap<string, Value>): void {
  for (const [name, old] of before) {
    const now = scope.variables.get(name)
    const merged = now && now !== old ? mergeValues([now, old]) : undefined
    if (merged) scope.variables.set(name, merged)
  }
}

function adoptVariables(scope: Scope, subshell: Scope): void {
  for (const [name, value] of subshell.variables) {
    const old = scope.variables.get(name)
    const merged = old === value ? undefined : mergeValues(old ? [old, value] : [value])
    if (merged) scope.variables.set(name, merged)
  }
}
