// Redirects of a command or group: target files, the standard input, and descriptors for later commands.

import type { HereDoc, HereString, Redirection, Redirect as RedirectNode } from 'unbash'
import type { Redirect, ShellCommand, Word } from '../execution.ts'
import {
  type CodeSource,
  type Frame,
  findOffset,
  type LocatedInput,
  type Output,
  spanAt,
  UNKNOWN_INPUT,
} from '../frame.ts'
import type { InterpreterPort } from '../interpreter-port.ts'
import { resolvePath } from '../paths.ts'
import type { Scope } from '../scope.ts'
import { expandText, joinParts } from './words.ts'

/** The redirects of one command after expansion. */
export class ExpandedRedirects {
  redirects: Redirect[] = []
  input: LocatedInput | undefined
  /** Inputs by descriptor, for `exec 3<<<text`. */
  descriptors: Map<string, CodeSource> | undefined
  private target: string | undefined
  private isAppending = false

  /** Records output that goes to a file, and returns the output for the next command of the pipe. */
  writeTo(scope: Scope, output: Output, from: readonly ShellCommand[]): Output {
    if (this.target === undefined) return output
    const path = resolvePath(scope.cwd, this.target)
    const before = this.isAppending ? scope.files.get(path) : undefined
    const text = before ? joinTexts(before.text, output) : output
    scope.files.set(path, { text, from: [...(before?.from ?? []), ...from] })
    return ''
  }

  setTarget(path: string, isAppending: boolean): void {
    this.target = path
    this.isAppending = isAppending
  }
}

const NONE = new ExpandedRedirects()

/** Expands the redirects of a command. */
export function expandRedirects(
  shell: InterpreterPort,
  nodes: readonly Redirection[],
  frame: Frame,
  scope: Scope,
): ExpandedRedirects {
  if (nodes.length === 0) return NONE
  const result = new ExpandedRedirects()
  for (const node of nodes) {
    if (!shell.spend(1, spanAt(frame, node.pos, node.end))) break
    if (node.type === 'Redirect') addRedirect(shell, node, frame, scope, result)
    else addText(result, formatDescriptor(node), readText(shell, node, frame, scope), scope)
  }
  return result
}

function joinTexts(before: Output, after: Output): Output {
  return before === undefined || after === undefined ? undefined : before + after
}

function readText(shell: InterpreterPort, node: HereDoc | HereString, frame: Frame, scope: Scope): LocatedInput {
  if (node.type === 'HereString') {
    if (!node.target) return { from: [] }
    const field = expandText(shell, node.target, frame, scope)
    return {
      from: field.from ?? [],
      text: field.isKnown ? `${field.text}\n` : undefined,
      written: field.text,
      at: field.at,
    }
  }
  const { body } = node
  const isIndented = node.operator === '<<-'
  const strip = (text: string) => (isIndented ? text.replace(/^\t+/gm, '') : text)
  const at = isIndented ? undefined : findOffset(frame, body.pos)
  if (!body.parts) return { from: [], text: strip(body.text), at }
  const field = joinParts(shell, body.parts, frame, scope, spanAt(frame, body.pos, body.end))
  return { from: field.from ?? [], text: field.isKnown ? strip(field.text) : undefined, written: field.text }
}

function formatDescriptor(node: Redirection): string {
  const { descriptor } = node
  if (!descriptor) return ''
  return descriptor.type === 'FileDescriptor' ? String(descriptor.value) : `{${descriptor.name}}`
}

function addText(result: ExpandedRedirects, descriptor: string, input: LocatedInput, scope: Scope): void {
  if (descriptor === '' || descriptor === '0') result.input = input
  else storeDescriptor(result, descriptor, { text: input.text, from: input.from }, scope)
}

// `exec {fd}<file` stores an unused descriptor number in the variable.
function storeDescriptor(result: ExpandedRedirects, descriptor: string, feed: CodeSource, scope: Scope): void {
  result.descriptors ??= new Map()
  const name = /^\{(.*)\}$/.exec(descriptor)?.[1]
  const number = name === undefined ? descriptor : String(10 + scope.descriptors.size)
  if (name !== undefined) scope.set(name, { text: number, isKnown: true })
  result.descriptors.set(number, feed)
}

function addRedirect(
  shell: InterpreterPort,
  node: RedirectNode,
  frame: Frame,
  scope: Scope,
  result: ExpandedRedirects,
): void {
  if (!node.target) return
  const target = expandText(shell, node.target, frame, scope)
  const descriptor = formatDescriptor(node)
  result.redirects.push({ operator: descriptor + node.operator, target })
  if (node.operator.startsWith('<')) {
    const feed = target.source ?? readSource(node.operator, target.text, target.isKnown, scope)
    const isNetwork = /^\/dev\/(?:tcp|udp)\//.test(target.text)
    if (descriptor === '' || descriptor === '0') {
      result.input = feed ? { from: feed.from, text: feed.text } : isNetwork ? UNKNOWN_INPUT : readFrom(target)
    } else if (feed || descriptor.startsWith('{'))
      storeDescriptor(result, descriptor, feed ?? { text: undefined, from: [] }, scope)
    return
  }
  if (descriptor.startsWith('{')) storeDescriptor(result, descriptor, { text: undefined, from: [] }, scope)
  const isStdout = descriptor === '' || descriptor === '1'
  if (isStdout && !(node.operator === '>&' && /^[\d-]/.test(target.text)) && target.isKnown) {
    result.setTarget(target.text, node.operator.endsWith('>>'))
  }
}

// The file is read only if a program runs its input as code.
function readFrom({ text, isKnown, isGlob }: Word): LocatedInput {
  return isKnown && !isGlob ? { from: [], file: text } : { from: [] }
}

function readSource(operator: string, target: string, isKnown: boolean, scope: Scope): CodeSource | undefined {
  if (!isKnown) return undefined
  if (operator === '<&') return scope.descriptors.get(target.replace(/-$/, ''))
  return scope.readFile(target)
}
