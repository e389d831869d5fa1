// An index of rules: by program, by kind of access, by language, by argument.

import type { Access } from './access.ts'
import {
  type AccessWhen,
  type ArgumentWhen,
  type CompiledRule,
  compileCommandRule,
  programNames,
  type Rule,
  type RulePack,
  type SnippetWhen,
  type WholeWhen,
} from './rule.ts'
import { clouds } from './rules/clouds.ts'
import { containers } from './rules/containers.ts'
import { dataFiles } from './rules/data-files.ts'
import { databases } from './rules/databases.ts'
import { disk } from './rules/disk.ts'
import { downloads } from './rules/downloads.ts'
import { filesystem } from './rules/filesystem.ts'
import { git } from './rules/git.ts'
import { guard } from './rules/guard.ts'
import { infrastructure } from './rules/infrastructure.ts'
import { interpreters } from './rules/interpreters.ts'
import { kubernetes } from './rules/kubernetes.ts'
import { packages } from './rules/packages.ts'
import { platforms } from './rules/platforms.ts'
import { project } from './rules/project.ts'
import { remote } from './rules/remote.ts'
import { sandbox } from './rules/sandbox.ts'
import { secrets } from './rules/secrets.ts'
import { system } from './rules/system.ts'
import type { Snippet } from './shell/execution.ts'

/** The built-in packs. */
export const RULE_PACKS: readonly RulePack[] = [
  filesystem,
  git,
  disk,
  system,
  packages,
  containers,
  kubernetes,
  infrastructure,
  databases,
  dataFiles,
  clouds,
  platforms,
  project,
  remote,
  downloads,
  secrets,
  guard,
  interpreters,
  sandbox,
]

/** A rule about something other than a command, with its condition. */
interface RuleWithCondition<When> {
  readonly rule: Rule
  readonly when: When
}

/** Indexed rules. */
export interface Rulebook {
  readonly forProgram: (name: string) => readonly CompiledRule[]
  /** Rules for every program. */
  readonly forEvery: readonly CompiledRule[]
  /** Rules for programs without other rules. */
  readonly forUnknown: readonly CompiledRule[]
  readonly forAccess: (kind: Access['kind']) => readonly RuleWithCondition<AccessWhen>[]
  readonly forLanguage: (language: Snippet['language']) => readonly RuleWithCondition<SnippetWhen>[]
  readonly forWhole: readonly RuleWithCondition<WholeWhen>[]
  readonly forArguments: readonly RuleWithCondition<ArgumentWhen>[]
}

const books = new WeakMap<readonly RulePack[], Rulebook>()

/** The rulebook of these packs; compiled once. */
export function compilePacks(packs: readonly RulePack[]): Rulebook {
  const known = books.get(packs)
  if (known !== undefined) return known
  const book = compileRulebook(packs)
  books.set(packs, book)
  return book
}

const NONE: readonly never[] = []

function compileRulebook(packs: readonly RulePack[]): Rulebook {
  const byName = new Map<string, CompiledRule[]>()
  const byStart: { readonly start: string; readonly compiled: CompiledRule }[] = []
  const forUnknown: CompiledRule[] = []
  const access = new Map<string, RuleWithCondition<AccessWhen>[]>()
  const languages = new Map<string, RuleWithCondition<SnippetWhen>[]>()
  const forWhole: RuleWithCondition<WholeWhen>[] = []
  const forArguments: RuleWithCondition<ArgumentWhen>[] = []
  const forEvery: CompiledRule[] = []
  for (const rule of packs.flatMap(({ rules }) => rules)) {
    const { when } = rule
    if (when.program !== undefined) {
      const compiled = compileCommandRule(rule, when)
      for (const name of programNames(when.program)) {
        if (name === '**') forEvery.push(compiled)
        else if (name === '*') forUnknown.push(compiled)
        else if (name.endsWith('*')) byStart.push({ start: name.slice(0, -1), compiled })
        else addTo(byName, name, compiled)
      }
    } else if (when.access !== undefined) for (const kind of when.access) addTo(access, kind, { rule, when })
    else if (when.language !== undefined)
      for (const language of when.language) addTo(languages, language, { rule, when })
    else if (when.argument !== undefined) forArguments.push({ rule, when })
    else forWhole.push({ rule, when })
  }
  return {
    forProgram: (name) => {
      const plain = byName.get(name) ?? NONE
      const starting = byStart.filter(({ start }) => name.startsWith(start))
      return starting.length === 0 ? plain : [...plain, ...starting.map(({ compiled }) => compiled)]
    },
    forEvery,
    forUnknown,
    forAccess: (kind) => access.get(kind) ?? NONE,
    forLanguage: (language) => languages.get(language) ?? NONE,
    forWhole,
    forArguments,
  }
}

function addTo<Item>(map: Map<string, Item[]>, key: string, item: Item): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [item])
  else list.push(item)
}
