import { describe, it } from 'vitest'
import { taskStoreContract } from '../../testing/task-store-contract.ts'
import { MemoryTaskStore } from './task-store.ts'

describe('tasks in memory', () => {
  for (const { title, run } of taskStoreContract) {
    it(`T2 ${title}`, () => run({ make: () => new MemoryTaskStore() }))
  }
})
