import { describe, it } from 'vitest'
import { busContract } from '../../testing/bus-contract.ts'
import { MemoryBus } from './memory-bus.ts'

describe('messages in memory', () => {
  for (const { title, run } of busContract) it(title, () => run({ make: (services) => new MemoryBus(services) }))
})
