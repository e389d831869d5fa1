// `python -m X words` is the program X with these words.

import type { Field } from '../frame.ts'
import { type OptionSpec, readOptions } from './options.ts'

/** Modules whose program has another name. */
const MODULE_PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['awscli', 'aws'],
  ['django', 'django-admin'],
])

/** The words of the program; undefined without `-m`, or if an option gives code. */
export function findModule(
  fields: readonly Field[],
  spec: OptionSpec,
  codeOptions: readonly string[],
): readonly Field[] | undefined {
  const { values, rest } = readOptions(fields, spec)
  const module = values.get('m')
  if (!module?.isKnown || codeOptions.some((option) => values.has(option))) return undefined
  const name = module.text.replace(/^(\w+)\.__main__$/, '$1')
  return [{ ...module, text: MODULE_PROGRAMS.get(name) ?? name }, ...fields.slice(rest)]
}
