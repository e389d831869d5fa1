// What `git checkout` and `git restore` of files would lose: the changes of the files as facts tell them. Without facts, or
// where they are unknown, every such command may lose work.

import { type Call, optionValue } from './call.ts'
import type { Facts, Hit } from './rule.ts'
import type { ShellCommand, Word } from './shell/execution.ts'
import { resolvePath } from './shell/paths.ts'

/** Where the files come from: another version (`git checkout HEAD file`), the index, or names that may be branches. */
type DiscardForm = 'version' | 'index' | 'names'

/** The hit for files that are overwritten with another version; undefined if nothing is lost. */
export function rateDiscard(call: Call, files: readonly Word[], facts: Facts, form: DiscardForm): Hit | undefined {
  const [first] = files
  const at = (first ?? call.command).span
  const changes = findLostChanges(call, files, facts)
  if (changes === undefined) return form === 'names' && isUnseen(call, files, facts) ? { at, tier: 3 } : { at }
  if (changes.length === 0) return form === 'version' ? { at, tier: 3, reason: REPLACES } : undefined
  const isKept = changes.every((path) => facts.files?.isOwnEdit(path) === true || isCopied(path, call, facts))
  return isKept ? { at, tier: 3, reason: OWN_EDITS } : { at }
}

const REPLACES = 'Replaces files that have no changes by another version of them.'
const OWN_EDITS = 'Discards changes that this session made, or of which it has a copy.'

// Names of single files that are not on this disk, or of which nothing is known: most agents undo an edit of their own.
function isUnseen(call: Call, words: readonly Word[], { files }: Facts): boolean {
  const folder = findGitFolder(call)
  return words.every(
    ({ text, isKnown, isGlob }) =>
      isKnown &&
      !isGlob &&
      /\.[a-z]\w*$/i.test(text) &&
      (folder === undefined || files?.exists(resolvePath(folder, text)) !== true),
  )
}

const MAX_PATHS = 10

// The changed files that the command would overwrite; undefined if they are unknown.
function findLostChanges(call: Call, words: readonly Word[], facts: Facts): readonly string[] | undefined {
  const folder = findGitFolder(call)
  const { files, commands = [] } = facts
  if (files === undefined || folder === undefined || call.command.location !== 'local') return undefined
  if (words.length === 0 || words.length > MAX_PATHS || bringsChanges(call, commands)) return undefined
  const changes: string[] = []
  for (const { text, isKnown, isGlob } of words) {
    if (!isKnown || isGlob || /^:|[*?[]/.test(text)) return undefined
    const found = files.findChanges(resolvePath(folder, text))
    if (found === undefined) return undefined
    changes.push(...found)
  }
  return changes
}

/** The folder that git runs in: `git -C folder`; undefined if it is unknown. */
export function findGitFolder(call: Call): string | undefined {
  const { cwd } = call.command
  if (call.options.some(({ name }) => name === '--git-dir' || name === '--work-tree')) return undefined
  const folder = optionValue(call, ['-C'])
  if (folder === undefined || cwd === undefined) return cwd
  return /[$`]/.test(folder) ? undefined : resolvePath(cwd, folder)
}

// Earlier commands of the same text that put content into the files which is nowhere else then.
function bringsChanges(call: Call, commands: readonly ShellCommand[]): boolean {
  return before(call, commands).some(({ name, args }) => {
    if (name === 'mv') return true
    const [sub, verb] = args.filter(({ text }) => !text.startsWith('-')).map(({ text }) => text)
    return name === 'git' && (BRINGING.has(sub ?? '') || (sub === 'stash' && (verb === 'pop' || verb === 'apply')))
  })
}

const BRINGING = new Set(['reset', 'merge', 'cherry-pick', 'revert', 'am', 'read-tree', 'mv'])

// In the same text, or in an earlier call of the session.
function isCopied(path: string, call: Call, { files, commands = [] }: Facts): boolean {
  if (files?.isCopied(path) === true) return true
  return before(call, commands).some(({ name, args, cwd }) => {
    if (name === 'cp') return args.slice(0, -1).some(({ text }) => resolvePath(cwd, text) === path)
    const [sub, verb] = args.map(({ text }) => text)
    return name === 'git' && sub === 'stash' && (verb === undefined || verb === 'push' || verb.startsWith('-'))
  })
}

function before(call: Call, commands: readonly ShellCommand[]): readonly ShellCommand[] {
  const at = commands.indexOf(call.command)
  return commands.slice(0, at < 0 ? commands.length : at)
}
