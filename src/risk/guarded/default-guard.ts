// The default guard, for callers without a home of ARC: guards the default home and the agents' settings by path only.

import type { Guard, GuardedRoot } from '../../engine/guarded-paths.ts'
import type { Facts } from '../rule.ts'
import { listHostConfigPaths, resolveConfigVariables } from './host-config-paths.ts'
import { comparePath, comparePattern } from './path-relation.ts'

/** The guard of the facts, or the default guard. */
export function findGuard(facts: Facts): Guard {
  return facts.guard ?? makeDefaultGuard(facts.home)
}

let last: { readonly home: string; readonly guard: Guard } | undefined

function makeDefaultGuard(home: string): Guard {
  if (last?.home === home) return last.guard
  const arcHome = `${home}/.arc`
  const own: GuardedRoot[] = [
    { kind: 'launcher', path: `${arcHome}/bin/arc`, isPresent: false },
    { kind: 'home', path: arcHome, isPresent: false },
  ]
  const roots = [...own, ...listHostConfigPaths(home, {})]
  const guard: Guard = {
    roots,
    followsLinks: false,
    variables: resolveConfigVariables(home, arcHome, {}),
    guards: (path, isPattern) => (isPattern === true ? comparePattern(path, roots) : comparePath(path, roots)),
  }
  last = { home, guard }
  return guard
}
