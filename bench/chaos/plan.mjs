// Which faults are played together: each alone, all pairs, or a fixed set with one random pair.

import { FAULTS } from './faults.mjs'

/** The rounds for these faults; those that this machine does not allow are skipped. */
export function planRounds(names, { mode, seed, canMount }) {
  const skipped = names.filter((name) => FAULTS[name].needs === 'root' && !canMount)
  const usable = names.filter((name) => !skipped.includes(name))
  const pairs = usable.flatMap((first, at) => usable.slice(at + 1).map((second) => [first, second]))
  const alone = usable.map((name) => [name])
  if (mode === 'pairs') return { rounds: pairs.filter((pair) => !pair.includes('no-fault')), skipped }
  if (mode === 'together') return { rounds: [usable], skipped }
  if (mode === 'one-pair') return { rounds: [...alone, ...pickPair(pairs, seed)], skipped }
  return { rounds: alone, skipped }
}

function pickPair(pairs, seed) {
  return pairs.length === 0 ? [] : [pairs[seed % pairs.length]]
}
