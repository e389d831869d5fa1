// Walks the tree of a code in order and evaluates its expressions as far as they are constant. Each call of a known
// library function becomes a shell command with the same effect. Functions count as called; loops run once per item of
// a known list.

import type { SyntaxNode } from '@lezer/common'
import type { CallArguments, CallResult, Library } from './library.ts'
import { decodeString } from './strings.ts'
import { asText, concat, joinPath, known, shellText, text, unknownText, type Value } from './value.ts'

/** The differences between the languages. */
export interface Language {
  readonly library: Library
  /** Reads an import statement: local names and what they stand for. */
  imports(node: SyntaxNode, source: (node: SyntaxNode) => string): readonly (readonly [local: string, path: string])[]
  /** Fills a format: Python's `'%s' % x`. */
  fillFormat?(format: string, values: readonly Value[]): Value
}

// The code configures a database that ends with the process.
const IN_MEMORY = /:memory:|sqlite:\/\/\/?["']|mongomock|MongoMemoryServer|create_test_db|setup_test_environment/

const MAX_COMMANDS = 60
const MAX_STEPS = 20_000
const MAX_ITEMS = 4
const MAX_DEPTH = 60

/** A function that the code defines. */
interface CodeFunction {
  readonly params: readonly string[]
  readonly body: readonly SyntaxNode[]
  calls: number
  isActive: boolean
}

/** Evaluates one code. */
export class Evaluation {
  readonly commands: string[] = []
  /** Texts of the same language that the code runs. */
  readonly inner: string[] = []
  readonly #code: string
  readonly #language: Language
  readonly #variables = new Map<string, Value>()
  readonly #functions = new Map<string, CodeFunction>()
  #steps = 0

  constructor(code: string, language: Language) {
    this.#code = code
    this.#language = language
  }

  /** Runs the whole code. Functions that it never calls run at the end, with unknown arguments. */
  run(top: SyntaxNode): void {
    this.walk(top)
    for (const made of this.#functions.values()) if (made.calls === 0) this.#enter(made, [], 0)
  }

  /** Runs all statements below the node. */
  walk(node: SyntaxNode, depth = 0): void {
    if (++this.#steps > MAX_STEPS || depth > MAX_DEPTH || this.commands.length >= MAX_COMMANDS) return
    const statement = STATEMENTS[node.name]
    if (statement !== undefined) statement(this, node, depth)
    else for (const child of children(node)) this.walk(child, depth + 1)
  }

  /** The value of an expression. */
  evaluate(node: SyntaxNode | undefined, depth = 0): Value {
    if (node === undefined || ++this.#steps > MAX_STEPS || depth > MAX_DEPTH) return unknownText('unknown')
    const parts = children(node)
    switch (node.name) {
      case 'String':
        return text(decodeString(this.#source(node)))
      case 'Number':
      case 'Boolean':
      case 'BooleanLiteral':
      case 'None':
        return text(this.#source(node))
      case 'FormatString':
      case 'TemplateString':
        return this.#template(node, depth)
      case 'ContinuedString':
        return concat(parts.map((part) => asText(this.evaluate(part, depth + 1))))
      case 'VariableName':
        return this.#variable(this.#source(node))
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
      case 'UnaryExpression':
        return this.evaluate(parts.find(isExpression), depth + 1)
      case 'ArrayExpression':
      case 'TupleExpression':
      case 'SetExpression':
        return { kind: 'list', items: parts.filter(isExpression).map((part) => this.evaluate(part, depth + 1)) }
      case 'ObjectExpression':
      case 'DictionaryExpression':
        return { kind: 'record', fields: this.#fields(node, depth) }
      case 'BinaryExpression':
        return this.#binary(parts, depth)
      case 'MemberExpression':
        return this.#member(parts, depth)
      case 'CallExpression':
      case 'NewExpression':
        return this.#call(parts, depth)
      case 'TaggedTemplateExpression':
        return this.#tagged(parts, depth)
      case 'ConditionalExpression':
        return this.evaluate(parts.filter(isExpression)[1] ?? parts[0], depth + 1)
      case 'ArrowFunction':
      case 'FunctionExpression':
      case 'LambdaExpression':
        this.walkBody(parts, depth)
        return unknownText('function')
      default:
        for (const part of parts) this.walk(part, depth + 1)
        return unknownText(/^\w{1,20}$/.test(this.#source(node)) ? this.#source(node) : 'unknown')
    }
  }

  /** Runs the body of a function that is an expression. */
  walkBody(parts: readonly SyntaxNode[], depth: number): void {
    for (const part of parts) if (part.name !== 'ParamList') this.walk(part, depth + 1)
  }

  #source(node: SyntaxNode): string {
    return this.#code.slice(node.from, node.to)
  }

  #variable(name: string): Value {
    const value = this.#variables.get(name)
    if (value !== undefined) return value
    const { globals, temporaryNames } = this.#language.library
    const path = globals.get(name)
    if (path !== undefined) return { kind: 'name', path }
    if (temporaryNames.test(name)) return { kind: 'object', type: 'path', of: text('/tmp/by-name') }
    return unknownText(name)
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
      this.#functions.set(this.#source(name), {
        params: params.map((param) => this.#source(param)),
        body,
        calls: 0,
        isActive: false,
      })
  }

  // Runs the body with these arguments. The variables of the caller stay visible, as the module's do.
  #enter(made: CodeFunction, values: readonly Value[], depth: number): void {
    if (made.isActive || made.calls >= MAX_ITEMS) return
    made.isActive = true
    made.calls++
    const before = made.params.map((name) => [name, this.#variables.get(name)] as const)
    for (const [index, name] of made.params.entries()) {
      const value = values[index]
      if (value === undefined) this.#variables.delete(name)
      else this.#variables.set(name, value)
    }
    for (const part of made.body) this.walk(part, depth + 1)
    for (const [name, value] of before) {
      if (value === undefined) this.#variables.delete(name)
      else this.#variables.set(name, value)
    }
    made.isActive = false
  }

  /** Reads an import. */
  import(node: SyntaxNode): void {
    for (const [local, path] of this.#language.imports(node, (part) => this.#source(part)))
      this.#variables.set(local, { kind: 'name', path })
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
      if (value !== undefined) this.#variables.set(this.#source(target), value)
    }
  }

  declare(node: SyntaxNode, depth: number): void {
    const parts = children(node)
    for (const [index, part] of parts.entries()) {
      if (part.name !== 'Equals') continue
      const target = parts[index - 1]?.name === 'TypeAnnotation' ? parts[index - 2] : parts[index - 1]
      const value = this.evaluate(parts[index + 1], depth + 1)
      if (target?.name === 'VariableDefinition') this.#variables.set(this.#source(target), value)
      else if (target?.name === 'ObjectPattern') this.#destructure(target, value)
    }
  }

  // `const { rm: remove } = require('fs')`
  #destructure(pattern: SyntaxNode, value: Value): void {
    for (const property of children(pattern).filter(({ name }) => name === 'PatternProperty')) {
      const [key, ...rest] = children(property).filter(({ name }) => /^(?:PropertyName|VariableDefinition)$/.test(name))
      const local = rest.at(-1) ?? key
      if (key !== undefined && local !== undefined)
        this.#variables.set(this.#source(local), this.#field(value, this.#source(key)))
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
        if (part !== undefined) this.#variables.set(this.#source(name), part)
        else this.#variables.delete(this.#source(name))
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
        if (name !== undefined) this.#variables.set(this.#source(name), value)
      }
    }
  }

  #template(node: SyntaxNode, depth: number): Value {
    const source = this.#source(node)
    const open = /^[a-zA-Z]*(?:"""|'''|"|'|`)/.exec(source)?.[0].length ?? 0
    const close = /(?:"""|'''|"|'|`)$/.exec(source)?.[0].length ?? 0
    const found: Value[] = []
    let at = node.from + open
    const literal = (to: number): void => {
      if (to > at) found.push(text(decodeString(`"${this.#code.slice(at, to).replaceAll('"', '\\"')}"`)))
    }
    for (const part of children(node).filter(({ name }) => name === 'FormatReplacement' || name === 'Interpolation')) {
      literal(part.from)
      found.push(asText(this.evaluate(children(part).find(isExpression), depth + 1)))
      at = part.to
    }
    literal(node.to - close)
    return concat(found.map(asText))
  }

  #fields(node: SyntaxNode, depth: number): ReadonlyMap<string, Value> {
    const fields = new Map<string, Value>()
    if (node.name === 'DictionaryExpression') {
      const parts = children(node)
      for (const [index, part] of parts.entries()) {
        if (part.name === ':')
          fields.set(this.#key(parts[index - 1], depth), this.evaluate(parts[index + 1], depth + 1))
        // `{**os.environ}`
        else if (part.name === '**') fields.set(`**${index}`, this.evaluate(parts[index + 1], depth + 1))
      }
      return fields
    }
    for (const property of children(node)) {
      const parts = children(property).filter(({ name }) => name !== ':' && name !== '[' && name !== ']')
      const [key, value] = parts
      if (property.name !== 'Property' || key === undefined) continue
      if (key.name === 'Spread') fields.set(`...${fields.size}`, this.evaluate(value, depth + 1))
      else if (value === undefined) fields.set(this.#source(key), this.#variable(this.#source(key)))
      else fields.set(this.#key(key, depth), this.evaluate(value, depth + 1))
    }
    return fields
  }

  #key(node: SyntaxNode | undefined, depth: number): string {
    if (node === undefined) return ''
    return node.name === 'String' ? (known(this.evaluate(node, depth + 1)) ?? '') : this.#source(node)
  }

  #binary(parts: readonly SyntaxNode[], depth: number): Value {
    const operator = parts.find(({ name }) => /Op$|^(?:\+|\/|%)$/.test(name))
    const [left, right] = parts.filter(isExpression).map((part) => this.evaluate(part, depth + 1))
    const sign = operator === undefined ? '' : this.#source(operator)
    if (left === undefined || right === undefined) return unknownText('unknown')
    if (sign === '+') return left.kind === 'list' ? joinLists(left, right) : concat([asText(left), asText(right)])
    if (sign === '/') return { kind: 'object', type: 'path', of: joinPath([left, right]) }
    const format = sign === '%' ? known(left) : undefined
    if (format !== undefined && this.#language.fillFormat !== undefined)
      return this.#language.fillFormat(format, right.kind === 'list' ? right.items : [right])
    return sign === '||' || sign === '??' || sign === 'or'
      ? known(left) === undefined
        ? right
        : left
      : unknownText('unknown')
  }

  #member(parts: readonly SyntaxNode[], depth: number): Value {
    const [object, ...rest] = parts
    const property = rest.findLast(isExpression) ?? rest.findLast(({ name }) => name === 'PropertyName')
    const receiver = this.evaluate(object, depth + 1)
    if (property === undefined) return unknownText('unknown')
    const key = property.name === 'PropertyName' ? this.#source(property) : known(this.evaluate(property, depth + 1))
    return key === undefined ? unknownText('item') : this.#field(receiver, key)
  }

  #field(value: Value, key: string): Value {
    const { constants } = this.#language.library
    if (value.kind === 'record') return value.fields.get(key) ?? unknownText(key)
    if (value.kind === 'list') return value.items[Number(key)] ?? unknownText(key)
    if (value.kind === 'object' && value.type === 'path' && key === 'parent')
      return { ...value, of: joinPath([value.of, text('..')]) }
    // One variable of the environment.
    if (value.kind === 'text' && value.parts.length === 1 && (value.parts[0] as { shell?: string }).shell === '$(env)')
      return key === 'HOME' || key === 'USERPROFILE' ? shellText('$HOME') : unknownText(key)
    if (value.kind !== 'name') return { kind: 'object', type: key, of: asText(value) }
    const path = `${value.path}.${key}`
    return constants.get(path) ?? { kind: 'name', path }
  }

  #call(parts: readonly SyntaxNode[], depth: number): Value {
    const callee = parts.find(({ name }) => name !== 'new')
    const list = parts.find(({ name }) => name === 'ArgList')
    if (callee === undefined) return unknownText('unknown')
    const { receiver, method, path } = this.#callee(callee, depth)
    const call: CallArguments = { ...this.#arguments(list, depth), receiver, method }
    const own = callee.name === 'VariableName' ? this.#functions.get(this.#source(callee)) : undefined
    if (own !== undefined) this.#enter(own, call.values, depth)
    const result = own === undefined ? this.#find(path, call) : undefined
    this.#note(result)
    return result?.value ?? unknownText(method || 'call')
  }

  // The name of the function, and the object before the dot.
  #callee(node: SyntaxNode, depth: number): { receiver: Value | undefined; method: string; path: string | undefined } {
    if (node.name !== 'MemberExpression') {
      const value = this.evaluate(node, depth + 1)
      return {
        receiver: undefined,
        method: this.#source(node).slice(-40),
        path: value.kind === 'name' ? value.path : undefined,
      }
    }
    const parts = children(node)
    const property = parts.findLast(({ name }) => name === 'PropertyName')
    const receiver = this.evaluate(parts[0], depth + 1)
    const method = property === undefined ? '' : this.#source(property)
    return { receiver, method, path: receiver.kind === 'name' ? `${receiver.path}.${method}` : undefined }
  }

  #find(path: string | undefined, call: CallArguments): CallResult | undefined {
    const { functions, methods, anyMethod } = this.#language.library
    const row = path === undefined ? undefined : functions.get(path)
    if (row !== undefined) return row(call)
    // A client such as `requests.Session()` is known by its class.
    if (path !== undefined && functions.has(`${path}.get`)) return { value: { kind: 'name', path } }
    return (call.receiver === undefined ? undefined : methods.get(call.method)?.(call)) ?? anyMethod?.(call)
  }

  #note(result: CallResult | undefined): void {
    if (result?.isOnModels === true && IN_MEMORY.test(this.#code)) return
    if (result?.commands !== undefined) this.commands.push(...result.commands)
    if (result?.code !== undefined && this.inner.length < 4) this.inner.push(result.code)
  }

  #arguments(list: SyntaxNode | undefined, depth: number): Pick<CallArguments, 'values' | 'named'> {
    const values: Value[] = []
    const named = new Map<string, Value>()
    const parts = list === undefined ? [] : children(list)
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] as SyntaxNode
      if (parts[at + 1]?.name === 'AssignOp') {
        named.set(this.#source(part), this.evaluate(parts[at + 2], depth + 1))
        at += 2
      } else if (isExpression(part)) values.push(this.evaluate(part, depth + 1))
    }
    const last = values.at(-1)
    if (last?.kind === 'record') for (const [name, value] of last.fields) if (!named.has(name)) named.set(name, value)
    return { values, named }
  }

  // zx and Bun: $`command`
  #tagged(parts: readonly SyntaxNode[], depth: number): Value {
    const [tag, template] = parts
    const value = this.evaluate(template, depth + 1)
    if (tag !== undefined && /^(?:\$|Bun\.\$|sh|execa)$/.test(this.#source(tag)))
      this.commands.push(
        asText(value)
          .parts.map((part) => (typeof part === 'string' ? part : `"${part.shell}"`))
          .join(''),
      )
    return unknownText('output')
  }
}

type StatementRow = (evaluation: Evaluation, node: SyntaxNode, depth: number) => void

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

function joinLists(left: Value, right: Value): Value {
  const items = [left, right].flatMap((value) => (value.kind === 'list' ? value.items : [value]))
  return { kind: 'list', items }
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

const NO_EXPRESSION =
  /^(?:[^A-Za-z].*|[a-z].*|.*Op|Equals|Arrow|ParamList|TypeDef|TypeAnnotation|ArgList|PropertyName|Comment|LineComment|BlockComment|InterpolationStart|InterpolationEnd|⚠|Body|Spread|FormatConversion|FormatSpec)$/

function isExpression({ name }: SyntaxNode): boolean {
  return !NO_EXPRESSION.test(name)
}
