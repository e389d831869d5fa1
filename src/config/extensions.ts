// The endings of configuration files. Apart from the parsers, so that asking for names of files loads none of them.

import { extname } from 'node:path'

/** The endings of configuration files, in the order in which they are looked for. */
export const EXTENSIONS = ['.json', '.jsonc', '.yaml', '.yml'] as const

/** Is this file YAML? Everything else is JSON with comments. */
export function isYamlFile(file: string): boolean {
  return ['.yaml', '.yml'].includes(extname(file).toLowerCase())
}
