import { expect, it } from 'vitest'
import { compileArma } from '../../config/arma/compile-script.ts'
import type { Step } from '../../engine/step.ts'
import { createLookup, withoutGiven } from './variables.ts'

const STEP = { id: '1', point: 'pre:tool', data: { prompt: 'p' }, metadata: {} } as unknown as Step

function hookOf(lines: readonly string[]) {
  const { hooks, errors } = compileArma([...lines, 'hook pre:tool /run echo "$a"'].join('\n'))
  expect(errors).toEqual([])
  const [hook] = hooks
  if (hook === undefined) throw new Error('no hook')
  return hook
}

it('C4 a variable may use itself', () => {
  const hook = hookOf(['/set $a "x"', '/set $a "$a$prompt$a"'])
  expect(createLookup(hook, { step: STEP, timeMs: 0 })('a')).toBe('xpx')
  expect(withoutGiven(hook).at(-1)).toEqual([{ text: 'x' }, { variable: 'prompt' }, { text: 'x' }])
})

it('C4 one that doubles itself line by line is refused before it fills the memory', () => {
  const hook = hookOf(['/set $a "x"', ...Array.from({ length: 60 }, () => '/set $a "$a$prompt$a"')])
  expect(() => createLookup(hook, { step: STEP, timeMs: 0 })).toThrow(/"a" has more than 1000000 characters/)
  expect(() => withoutGiven(hook)).toThrow(/"a" has more than 1000 parts/)
})
