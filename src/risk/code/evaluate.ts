// Evaluates expressions of code as far as they are constant. Each call of a known library function becomes a shell command
// with the same effect. Statements are in statements.ts.

import type { SyntaxNode } from '@lezer/common'
import type { CallArguments, CallResult, Library } from './library.ts'
import { decodeString } from './strings.ts'
import { children, isExpression } from './syntax.ts'
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

export const MAX_STEPS = 20_000
export const MAX_DEPTH = 60

/** A shell command with the effect of a call, and where the call is in the code. */
export interface CodeCommand {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A function that the code defines. */
export interface CodeFunction {
  readonly params: readonly string[]
  readonly body: readonly SyntaxNode[]
  calls: number
  isActive: boolean
}

/** Evaluates one code. */
export abstract class Evaluation {
  readonly commands: CodeCommand[] = []
  /** Texts of the same language that the code runs. */
  readonly inner: string[] = []
  protected readonly code: string
  protected readonly language: Language
  protected readonly variables = new Map<string, Value>()
  protected readonly functions = new Map<string, CodeFunction>()
  protected steps = 0

  constructor(code: string, language: Language) {
    this.code = code
    this.language = language
  }

  /** Runs the statements below a node. */
  abstract walk(node: SyntaxNode, depth?: number): void
  /** Runs a function of the code. */
  protected abstract enter(made: CodeFunction, values: readonly Value[], depth: number): void

  /** The value of an expression. */
  evaluate(node: SyntaxNode | undefined, depth = 0): Value {
    if (node === undefined || ++this.steps > MAX_STEPS || depth > MAX_DEPTH) return unknownText('unknown')
    const parts = children(node)
    switch (node.name) {
      case 'String':
        return text(decodeString(this.source(node)))
      case 'Number':
      case 'Boolean':
      case 'BooleanLiteral':
      case 'None':
        return text(this.source(node))
      case 'FormatString':
      case 'TemplateString':
        return this.#template(node, depth)
      case 'ContinuedString':
        return concat(parts.map((part) => asText(this.evaluate(part, depth + 1))))
      case 'VariableName':
        return this.#variable(this.source(node))
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
        return unknownText(/^\w{1,20}$/.test(this.source(node)) ? this.source(node) : 'unknown')
    }
  }

  /** Runs the body of a function that is an expression. */
  walkBody(parts: readonly SyntaxNode[], depth: number): void {
    for (const part of parts) if (part.name !== 'ParamList') this.walk(part, depth + 1)
  }

  protected source(node: SyntaxNode): string {
    return this.code.slice(node.from, node.to)
  }

  #variable(name: string): Value {
    const value = this.variables.get(name)
    if (value !== undefined) return value
    const { globals, temporaryNames } = this.language.library
    const path = globals.get(name)
    if (path !== undefined) return { kind: 'name', path }
    if (temporaryNames.test(name)) return { kind: 'object', type: 'path', of: text('/tmp/by-name') }
    return unknownText(name)
  }

  #template(node: SyntaxNode, depth: number): Value {
    const source = this.source(node)
    const open = /^[a-zA-Z]*(?:"""|'''|"|'|`)/.exec(source)?.[0].length ?? 0
    const close = /(?:"""|'''|"|'|`)$/.exec(source)?.[0].length ?? 0
    const found: Value[] = []
    let at = node.from + open
    const literal = (to: number): void => {
      if (to > at) found.push(text(decodeString(`"${this.code.slice(at, to).replaceAll('"', '\\"')}"`)))
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
      else if (value === undefined) fields.set(this.source(key), this.#variable(this.source(key)))
      else fields.set(this.#key(key, depth), this.evaluate(value, depth + 1))
    }
    return fields
  }

  #key(node: SyntaxNode | undefined, depth: number): string {
    if (node === undefined) return ''
    return node.name === 'String' ? (known(this.evaluate(node, depth + 1)) ?? '') : this.source(node)
  }

  #binary(parts: readonly SyntaxNode[], depth: number): Value {
    const operator = parts.find(({ name }) => /Op$|^(?:\+|\/|%)$/.test(name))
    const [left, right] = parts.filter(isExpression).map((part) => this.evaluate(part, depth + 1))
    const sign = operator === undefined ? '' : this.source(operator)
    if (left === undefined || right === undefined) return unknownText('unknown')
    if (sign === '+') return left.kind === 'list' ? joinLists(left, right) : concat([asText(left), asText(right)])
    if (sign === '/') return { kind: 'object', type: 'path', of: joinPath([left, right]) }
    const format = sign === '%' ? known(left) : undefined
    if (format !== undefined && this.language.fillFormat !== undefined)
      return this.language.fillFormat(format, right.kind === 'list' ? right.items : [right])
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
    const key = property.name === 'PropertyName' ? this.source(property) : known(this.evaluate(property, depth + 1))
    return key === undefined ? unknownText('item') : this.field(receiver, key)
  }

  protected field(value: Value, key: string): Value {
    const { constants } = this.language.library
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
    const own = callee.name === 'VariableName' ? this.functions.get(this.source(callee)) : undefined
    if (own !== undefined) this.enter(own, call.values, depth)
    const result = own === undefined ? this.#find(path, call) : undefined
    this.#note(result, parts)
    return result?.value ?? unknownText(method || 'call')
  }

  // The name of the function, and the object before the dot.
  #callee(node: SyntaxNode, depth: number): { receiver: Value | undefined; method: string; path: string | undefined } {
    if (node.name !== 'MemberExpression') {
      const value = this.evaluate(node, depth + 1)
      return {
        receiver: undefined,
        method: this.source(node).slice(-40),
        path: value.kind === 'name' ? value.path : undefined,
      }
    }
    const parts = children(node)
    const property = parts.findLast(({ name }) => name === 'PropertyName')
    const receiver = this.evaluate(parts[0], depth + 1)
    const method = property === undefined ? '' : this.source(property)
    return { receiver, method, path: receiver.kind === 'name' ? `${receiver.path}.${method}` : undefined }
  }

  #find(path: string | undefined, call: CallArguments): CallResult | undefined {
    const { functions, methods, anyMethod } = this.language.library
    const row = path === undefined ? undefined : functions.get(path)
    if (row !== undefined) return row(call)
    // A client such as `requests.Session()` is known by its class.
    if (path !== undefined && functions.has(`${path}.get`)) return { value: { kind: 'name', path } }
    return (call.receiver === undefined ? undefined : methods.get(call.method)?.(call)) ?? anyMethod?.(call)
  }

  #note(result: CallResult | undefined, parts: readonly SyntaxNode[]): void {
    if (result?.isOnModels === true && IN_MEMORY.test(this.code)) return
    for (const command of result?.commands ?? []) this.#add(command, parts)
    if (result?.code !== undefined && this.inner.length < 4) this.inner.push(result.code)
  }

  #add(command: string, parts: readonly SyntaxNode[]): void {
    this.commands.push({ text: command, start: parts[0]?.from ?? 0, end: parts.at(-1)?.to ?? 0 })
  }

  #arguments(list: SyntaxNode | undefined, depth: number): Pick<CallArguments, 'values' | 'named'> {
    const values: Value[] = []
    const named = new Map<string, Value>()
    const parts = list === undefined ? [] : children(list)
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at] as SyntaxNode
      if (parts[at + 1]?.name === 'AssignOp') {
        named.set(this.source(part), this.evaluate(parts[at + 2], depth + 1))
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
    if (tag !== undefined && /^(?:\$|Bun\.\$|sh|execa)$/.test(this.source(tag)))
      this.#add(
        asText(value)
          .parts.map((part) => (typeof part === 'string' ? part : `"${part.shell}"`))
          .join(''),
        parts,
      )
    return unknownText('output')
  }
}

function joinLists(left: Value, right: Value): Value {
  const items = [left, right].flatMap((value) => (value.kind === 'list' ? value.items : [value]))
  return { kind: 'list', items }
}
