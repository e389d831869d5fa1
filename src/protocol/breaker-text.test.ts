import { expect, it } from 'vitest'
import { countFailures } from './breaker-text.ts'

it('M4 failures are shown next to the limit, also when a step had more of them', () => {
  expect([0, 3, 4].map((failures) => countFailures({ failures, threshold: 3 }))).toEqual([
    ...['0 of 3 failures', '3 of 3 failures', '4 failures, limit 3'],
  ])
})
