// Which faults are played together: each alone, each alone with a few random pairs, or all pairs.

import { FAULTS } from './faults.mjs'

/** The rounds for these faults; those that this machine does not allow are skipped. */
export function planRounds(names, { hasPairs, randomPairs, seed, canMount }) {
  const skipped = names.filter((name) => FAULTS[name].needs === 'root' && !canMount)
  const usable = names.filter((name) => !skipped.includes(name))
  const faults = usable.filter((name) => name !== 'no-fault')
  const pairs = faults.flatMap((first, at) => faults.slice(at + 1).map((second) => [first, second]))
  if (hasPairs) return { rounds: pairs, skipped }
  return { rounds: [...usable.map((name) => [name]), ...pickPairs(pairs, randomPairs, seed)], skipped }
}

// The same pairs for the same seed.
function pickPairs(pairs, count, seed) {
  const left = [...pairs]
  const picked = []
  for (let state = seed; picked.length < count && left.length > 0; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    picked.push(...left.splice(state % left.length, 1))
  }
  return picked
}
