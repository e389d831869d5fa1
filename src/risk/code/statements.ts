// Walks the statements of code in order. Functions count as called; loops run once per item of a known list.

import type { SyntaxNode } from '@lezer/common'
import { type CodeFunction, Evaluation, MAX_DEPTH, MAX_STEPS } from './evaluate.ts'
import { children, isExpression } from './syntax.ts'
import type { Value } from './value.ts'

const MAX_COMMANDS = 60
const MAX_ITEMS = 4

/** Runs one code. */
export class CodeRun extends Evaluation {
  /** Runs the whole code. Functions that it never calls run at the end, with unknown arguments. */
  run(top: SyntaxNode): void {
    this.walk(top)
    for (const made of this.functions.values()) if (made.calls === 0) this.enter(made, [], 0)
  }

  /** Runs all statements below the node. */
  walk(node: SyntaxNode, depth = 0): void {
    if (++this.steps > MAX_STEPS || depth > MAX_DEPTH || this.commands.length >= MAX_COMMANDS) return
    const statement = STATEMENTS[node.name]
    if (statement !== undefined) statement(this, node, depth)
    else for (const child of children(node)) this.walk(child, depth + 1)
  }

  /** Notes a function with a name. */
  define(node: SyntaxNode): void {
    const parts = children(node)
    const name = parts.find(({ name: kind }) => kind === 'VariableName' || kind === 'VariableDefinition')
    const list = parts.find(({ name: kind }) => kind === 'ParamList')
    const params =
      list === undefined ? [] : children(list).filter(({ name: kind }) => /^Variable(?:Name|Definition)$/.test(kind))
    const body = parts.filter(({ name: kind }) => kind === 'Body' || kind === 'Block')
    if (name !== undefined)
      this.functions.set(this.source(name), {
        params: params.map((param) => this.source(param)),
        body,
        calls: 0,
        isActive: false,
      })
  }

  // Runs the body with these arguments. The variables of the caller stay visible, as the module's do.
  protected enter(made: CodeFunction, values: readonly Value[], depth: number): void {
    if (made.isActive || made.calls >= MAX_ITEMS) return
    made.isActive = true
    made.calls++
    const before = made.params.map((name) => [name, this.variables.get(name)] as const)
    for (const [index, name] of made.params.entries()) {
      const value = values[index]
      if (value === undefined) this.variables.delete(name)
      else this.variables.set(name, value)
    }
    for (const part of made.body) this.walk(part, depth + 1)
    for (const [name, value] of before) {
      if (value === undefined) this.variables.delete(name)
      else this.variables.set(name, value)
    }
    made.isActive = false
  }

  /** Reads an import. */
  import(node: SyntaxNode): void {
    for (const [local, path] of this.language.imports(node, (part) => this.source(part)))
      this.variables.set(local, { kind: 'name', path })
  }

  // `a = b = value`, and `a, b = x, y`
  assign(parts: readonly SyntaxNode[], depth: number): void {
    const at = parts.findLastIndex(({ name }) => name === 'AssignOp' || name === 'Equals' || name === 'UpdateOp')
    const targets = parts.slice(0, Math.max(at, 0)).filter(({ name }) => name === 'VariableName')
    const values = parts
      .slice(at + 1)
      .filter(isExpression)
      .map((part) => this.evaluate(part, depth + 1))
    const [only] = values
    for (const [index, target] of targets.entries()) {
      const value = values.length === targets.length ? values[index] : only
      if (value !== undefined) this.variables.set(this.source(target), value)
    }
  }

  declare(node: SyntaxNode, depth: number): void {
    const parts = children(node)
    for (const [index, part] of parts.entries()) {
      if (part.name !== 'Equals') continue
      const target = parts[index - 1]?.name === 'TypeAnnotation' ? parts[index - 2] : parts[index - 1]
      const value = this.evaluate(parts[index + 1], depth + 1)
      if (target?.name === 'VariableDefinition') this.variables.set(this.source(target), value)
      else if (target?.name === 'ObjectPattern') this.destructure(target, value)
    }
  }

  // `const { rm: remove } = require('fs')`
  protected destructure(pattern: SyntaxNode, value: Value): void {
    for (const property of children(pattern).filter(({ name }) => name === 'PatternProperty')) {
      const [key, ...rest] = children(property).filter(({ name }) => /^(?:PropertyName|VariableDefinition)$/.test(name))
      const local = rest.at(-1) ?? key
      if (key !== undefined && local !== undefined)
        this.variables.set(this.source(local), this.field(value, this.source(key)))
    }
  }

  loop(node: SyntaxNode, depth: number): void {
    const parts = children(node)
    const spec = parts.find(({ name }) => name === 'ForOfSpec' || name === 'ForSpec')
    const head = spec === undefined ? parts : children(spec)
    const at = head.findIndex(({ name }) => name === 'in' || name === 'of')
    const names = head
      .slice(0, Math.max(at, 0))
      .filter(({ name }) => name === 'VariableName' || name === 'VariableDefinition')
    const list = at < 0 ? undefined : this.evaluate(head.slice(at + 1).find(isExpression), depth + 1)
    const bodies = parts.filter(({ name }) => /^(?:Body|Block|.*Statement)$/.test(name))
    const items = list?.kind === 'list' ? list.items.slice(0, MAX_ITEMS) : [undefined]
    for (const item of items.length === 0 ? [undefined] : items) {
      for (const [index, name] of names.entries()) {
        const part = item?.kind === 'list' && names.length > 1 ? item.items[index] : item
        if (part !== undefined) this.variables.set(this.source(name), part)
        else this.variables.delete(this.source(name))
      }
      for (const body of bodies) this.walk(body, depth + 1)
    }
  }

  // `with open(path) as name:`
  openWith(node: SyntaxNode, depth: number): void {
    const parts = children(node)
    for (const [index, part] of parts.entries()) {
      if (part.name === 'Body') this.walk(part, depth + 1)
      else if (isExpression(part) && parts[index - 1]?.name !== 'as') {
        const value = this.evaluate(part, depth + 1)
        const name = parts[index + 1]?.name === 'as' ? parts[index + 2] : undefined
        if (name !== undefined) this.variables.set(this.source(name), value)
      }
    }
  }
}

type StatementRow = (evaluation: CodeRun, node: SyntaxNode, depth: number) => void

const assign: StatementRow = (evaluation, node, depth) => evaluation.assign(children(node), depth)
const expression: StatementRow = (evaluation, node, depth) => void evaluation.evaluate(node, depth)
const STATEMENTS: Readonly<Record<string, StatementRow>> = {
  ImportStatement: (evaluation, node) => evaluation.import(node),
  ImportDeclaration: (evaluation, node) => evaluation.import(node),
  AssignStatement: assign,
  AssignmentExpression: assign,
  VariableDeclaration: (evaluation, node, depth) => evaluation.declare(node, depth),
  FunctionDefinition: (evaluation, node) => evaluation.define(node),
  FunctionDeclaration: (evaluation, node) => evaluation.define(node),
  ForStatement: (evaluation, node, depth) => evaluation.loop(node, depth),
  WithStatement: (evaluation, node, depth) => evaluation.openWith(node, depth),
  CallExpression: expression,
  NewExpression: expression,
  TaggedTemplateExpression: expression,
}
