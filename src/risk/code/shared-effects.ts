// Effects that libraries of several languages have, as shell commands.

import type { CallArguments, CallResult, LibraryFunction } from './library.ts'
import { asText, known, shellText, text, type Value, writeScript, writeWord } from './value.ts'

const MAX_PATHS = 16

/** Deletes its first argument, which may be a list; or the receiver, where a method has no argument. */
export const remove =
  (options: string): LibraryFunction =>
  ({ values, receiver }) => {
    const target = values[0] ?? receiver
    const paths = target?.kind === 'list' ? target.items.slice(0, MAX_PATHS) : [target]
    return { commands: [`rm ${options}${options === '' ? '' : ' '}-- ${paths.map(writeWord).join(' ')}`] }
  }

/** Runs a program with two paths: `mv a b`. As a method, the receiver is the first. */
export const onTwoPaths =
  (program: string): LibraryFunction =>
  ({ values, receiver }) => {
    const [from, to] = values.length > 1 ? values : [receiver, values[0]]
    return { commands: [`${program} ${writeWord(from)} ${writeWord(to)}`] }
  }

/** Overwrites a file. Empty content empties it. */
export function writeFile(path: Value | undefined, content: Value | undefined): CallResult {
  const isEmpty = content !== undefined && known(content) === ''
  return { commands: [`${isEmpty ? ':' : 'printf x'} > ${writeWord(path)}`] }
}

/** The content of a file. */
export function contentOf(path: Value | undefined): CallResult {
  const word = writeWord(path)
  return { commands: [`cat ${word}`], value: shellText(`$(cat ${word})`) }
}

/** A list is a program with arguments; a text is a script. */
export function run(command: Value | undefined, isShell: boolean): CallResult {
  if (command?.kind === 'list') {
    const [program, ...rest] = command.items
    if (isShell && program !== undefined) return { commands: [writeScript(program)] }
    return { commands: [[program, ...rest].map(writeWord).join(' ')] }
  }
  return { commands: [isShell ? writeScript(command) : writeWord(command)] }
}

/** An HTTP request. The values of the body and the address decide what is sent. */
export function request(method: string, url: Value | undefined, body: Value | undefined): CallResult {
  const verb = method.toUpperCase()
  if (verb === 'GET' && body === undefined) {
    const address = writeWord(url)
    return { commands: [`curl ${address}`], value: shellText(`$(curl ${address})`) }
  }
  const data = body === undefined ? '' : ` -d ${writeWord(writtenBody(body))}`
  return { commands: [`curl -X ${verb}${data} ${writeWord(url)}`] }
}

// A record as JSON would name its fields, so that a GraphQL query in it is found.
function writtenBody(body: Value): Value {
  if (body.kind !== 'record') return body
  const parts = [...body.fields].slice(0, 20).flatMap(([name, value]) => [`"${name}":`, ...asText(value).parts])
  return { kind: 'text', parts }
}

/** The calls of cloud clients: `delete_bucket` of a client for `s3`. */
export const cloudCall =
  (service: (call: CallArguments) => string | undefined): LibraryFunction =>
  (call) => {
    const name = service(call)
    if (
      name === undefined ||
      !/^(?:delete|terminate|purge|destroy|remove|deregister|revoke|put|stop)/i.test(call.method)
    )
      return undefined
    const verb = call.method
      .replace(/_/g, '-')
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .toLowerCase()
    const values = [...call.named.values()].slice(0, 4).map(writeWord)
    return { commands: [`aws ${name} ${verb} ${values.join(' ')}`] }
  }

/** Deletes all rows of a model: a client of a database with a statement without a condition. */
export function deleteRows(model: string, isDrop = false): CallResult {
  const table = model.replace(/\W+/g, '_') || 'rows'
  return { commands: [`psql -c ${isDrop ? `'DROP TABLE ${table}'` : `'DELETE FROM ${table}'`}`], isOnModels: true }
}

const CHANGES_DATA = /^\s*(?:drop|delete|truncate|update|alter)\b/i

/** Runs a statement of SQL, unless its database is only in memory or temporary. */
export const runSql: LibraryFunction = ({ receiver, values }) => {
  const sql = known(values[0])
  if (sql === undefined || !CHANGES_DATA.test(sql)) return undefined
  const isOpened = receiver?.kind === 'object' && receiver.type === 'database'
  const database = isOpened ? known(receiver.of) : undefined
  if (database === ':memory:' || database?.startsWith('/tmp/') === true) return undefined
  return {
    commands: [
      `${database === undefined ? 'psql -c' : `sqlite3 ${writeWord(text(database))}`} ${writeWord(text(sql))}`,
    ],
  }
}
