// Package manager commands that remove or replace ARC.

import type { Call } from '../call.ts'
import type { Hit, TestResult } from '../rule.ts'
import { option } from '../rule-rows.ts'
import type { Word } from '../shell/execution.ts'

/** The package managers that are checked. */
export const MANAGERS =
  'npm pnpm yarn bun volta corepack brew apt apt-get dnf yum pacman apk nix-env nvm fnm n asdf mise'

const REMOVING = new Set('uninstall un unlink remove rm r del purge autoremove erase global'.split(' '))
const READING = new Set(
  'ls list la ll view info show v outdated explain why fund doctor docs home repo bugs search find help bin root which exec x run'.split(
    ' ',
  ),
)
/** Links are shared by all projects. */
const LINKING = new Set(['link', 'ln', 'unlink'])
/** Without names, these change every global package. */
const CHANGING_ALL = new Set('update up upgrade udpate dedupe ddp prune rebuild rb ci clean-install'.split(' '))
const RUNTIME = /^(?:nodejs?|node@[\w.]+|@?nodejs[\w.-]*)$/

/** Does the call remove ARC or its Node, or replace the installed ARC? */
export function changesPackage(call: Call): TestResult {
  const [verb, ...rest] = call.operands
  const isRemoving = REMOVING.has(verb?.text ?? '') || rest[0]?.text === 'remove'
  const isGlobal =
    option('-g', '--global', '--location', '--prefix')(call) || verb?.text === 'global' || call.name === 'volta'
  const parts: CallParts = { verb, rest, isRemoving, isGlobal }
  return findArcPackage(parts) ?? changesAllPackages(call, parts) ?? removesNode(call, parts)
}

interface CallParts {
  readonly verb: Word | undefined
  readonly rest: readonly Word[]
  readonly isRemoving: boolean
  readonly isGlobal: boolean
}

function findArcPackage({ verb, rest, isRemoving, isGlobal }: CallParts): Word | undefined {
  const arc = rest.find(({ text }) => isArcPackage(text))
  if (isRemoving || LINKING.has(verb?.text ?? '')) return arc
  const isReading = READING.has(verb?.text ?? '') || READING.has(rest[0]?.text ?? '')
  return isGlobal && !isReading ? arc : undefined
}

// `npm update -g` without names; `yarn global upgrade` has its verb one word later.
function changesAllPackages({ name }: Call, { verb, rest, isGlobal }: CallParts): Hit | undefined {
  const words = name === 'yarn' ? rest : [verb, ...rest]
  if (verb === undefined || !isGlobal || words.length !== 1 || !CHANGING_ALL.has(words[0]?.text ?? '')) return undefined
  return { at: verb.span, tier: 4, isUncertain: true, reason: 'Changes all global packages, including ARC.' }
}

const VERSION_MANAGERS = new Set(['nvm', 'fnm', 'n'])

function removesNode({ name }: Call, { rest, isRemoving }: CallParts): Hit | undefined {
  if (!isRemoving || name === 'npm') return undefined
  const node = rest.find(({ text }) => VERSION_MANAGERS.has(name) || RUNTIME.test(text))
  return node && { at: node.span, tier: 4, isUncertain: true, reason: 'Removes the Node.js that ARC runs on.' }
}

function isArcPackage(text: string): boolean {
  return /(?:^|[/:])arc-supervisor(?:[@#/]|-\d|\.(?:git|tgz|tar)|$)/.test(text)
}
