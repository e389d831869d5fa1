// The command line as people type it: other names of commands, and options after a command line in quotes. Rewritten to
// the form of the reference before commander reads it.

/** Names that people know from other programs, and the words that they are short for. */
export const ALIASES: Readonly<Record<string, readonly string[]>> = {
  test: ['check'],
  explain: ['why'],
  tail: ['logs', '--follow'],
  version: ['--version'],
}

/**
 * The words of a command line in the form of the reference.
 * @example
 * readCommandLine(['test', 'git push --force', '--json']) // ['check', '--json', '--', 'git push --force']
 */
export function readCommandLine(args: readonly string[]): readonly string[] {
  return moveTrailingOptions(expandAlias(args))
}

// At the beginning, and after `help`.
function expandAlias(args: readonly string[]): readonly string[] {
  const [first = '', second = '', ...rest] = args
  if (first === 'help' && Object.hasOwn(ALIASES, second)) return [first, ALIASES[second]?.[0] ?? second, ...rest]
  return Object.hasOwn(ALIASES, first) ? [...(ALIASES[first] ?? []), ...args.slice(1)] : args
}

const CHECK_OPTION = /^--(?:json|jsonl|explain|(?:cwd|tool)(?:=.*)?)$/s
const TAKES_NEXT = new Set(['--cwd', '--tool'])

// A command that is one word in quotes ends at its quotes, so options of `arc check` may follow it. After a first word
// without blanks everything belongs to the command.
function moveTrailingOptions(args: readonly string[]): readonly string[] {
  if (args[0] !== 'check' || args.includes('--')) return args
  const at = skipOptions(args, 1)
  const line = args[at] ?? ''
  const isMovable = /\S\s+\S/.test(line) && at + 1 < args.length && skipOptions(args, at + 1) >= args.length
  return isMovable ? [...args.slice(0, at), ...args.slice(at + 1), '--', line] : args
}

// The index after the options that begin at `from`.
function skipOptions(args: readonly string[], from: number): number {
  let at = from
  while (CHECK_OPTION.test(args[at] ?? '')) at += TAKES_NEXT.has(args[at] ?? '') ? 2 : 1
  return at
}
