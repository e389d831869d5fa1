// `arc script check`: reads an .arma script and shows every mistake with its place; nothing runs.

import { readFileSync } from 'node:fs'
import colors from 'picocolors'
import { type ArmaScript, compileArma } from '../../config/arma/compile.ts'

/** Checks a script; exit code 1 when it has mistakes or cannot be read. */
export async function checkScript(file: string, options: { readonly json?: boolean }): Promise<number> {
  const { ok, hooks, errors } = compileFile(file)
  if (options.json === true) {
    const rows = errors.map(({ line, column, message }) => ({ line, column, message }))
    process.stdout.write(`${JSON.stringify({ ok, errors: rows })}\n`)
    return ok ? 0 : 1
  }
  for (const { line, column, message } of errors) {
    process.stderr.write(`${colors.bold(`${file}:${line}:${column}`)} ${message}\n`)
  }
  const summary = ok
    ? colors.green(`ok: ${hooks.length} hook${hooks.length === 1 ? '' : 's'}`)
    : colors.red('not usable')
  process.stderr.write(`${file} ${summary}\n`)
  return ok ? 0 : 1
}

function compileFile(file: string): Pick<ArmaScript, 'ok' | 'hooks' | 'errors'> {
  try {
    return compileArma(readFileSync(file, 'utf8'))
  } catch (error) {
    const message = `cannot be read: ${(error as Error).message}`
    return { ok: false, hooks: [], errors: [{ line: 1, column: 1, message }] }
  }
}
