// Package managers that remove ARC or put another version in its place.

import { type Call, findOption } from '../call.ts'
import type { TestResult } from '../rule.ts'

/** The package managers that are looked at. */
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
  const own = rest.find(({ text }) => isOwn(text))
  const isRemoving = REMOVING.has(verb?.text ?? '') || rest[0]?.text === 'remove'
  if (own !== undefined && (isRemoving || LINKING.has(verb?.text ?? ''))) return own
  const isGlobal =
    findOption(call, ['-g', '--global', '--location', '--prefix']) !== undefined ||
    verb?.text === 'global' ||
    call.name === 'volta'
  if (own !== undefined && isGlobal && !READING.has(verb?.text ?? '') && !READING.has(rest[0]?.text ?? '')) return own
  if (verb !== undefined && isGlobal && CHANGING_ALL.has(call.name === 'yarn' ? (rest[0]?.text ?? '') : verb.text))
    if (rest.length === (call.name === 'yarn' ? 1 : 0))
      return { at: verb.span, tier: 4, isUncertain: true, reason: 'It changes all global packages, ARC among them.' }
  const isVersions = call.name === 'nvm' || call.name === 'fnm' || call.name === 'n'
  const runtime = rest.find(({ text }) => isVersions || RUNTIME.test(text))
  if (runtime !== undefined && isRemoving && call.name !== 'npm')
    return { at: runtime.span, tier: 4, isUncertain: true, reason: 'It removes Node, which ARC runs with.' }
  return undefined
}

function isOwn(text: string): boolean {
  return /(?:^|[/:])arc-supervisor(?:[@#/]|-\d|\.(?:git|tgz|tar)|$)/.test(text)
}
