// The guarded paths by name alone, for programs that classify without a running ARC: its usual home and the agents' settings.

import type { Guard, GuardedRoot } from '../../engine/guarded-paths.ts'
import type { Facts } from '../rule.ts'
import { hostSettings, placeVariables } from './host-places.ts'
import { patternRelation, relationTo } from './relation.ts'

/** The guard that the facts bring, or the one by name. */
export function guardOf(facts: Facts): Guard {
  return facts.guard ?? namedGuard(facts.home)
}

let last: { readonly home: string; readonly guard: Guard } | undefined

function namedGuard(home: string): Guard {
  if (last?.home === home) return last.guard
  const arcHome = `${home}/.arc`
  const own: GuardedRoot[] = [
    { kind: 'launcher', path: `${arcHome}/bin/arc`, isPresent: false },
    { kind: 'home', path: arcHome, isPresent: false },
  ]
  const roots = [...own, ...hostSettings(home, {})]
  const guard: Guard = {
    roots,
    followsLinks: false,
    variables: placeVariables(home, arcHome, {}),
    guards: (path, isPattern) => (isPattern === true ? patternRelation(path, roots) : relationTo(path, roots)),
  }
  last = { home, guard }
  return guard
}
