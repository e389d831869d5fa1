import { describe, it } from 'vitest'
import { traceStoreContract } from '../../testing/trace-store-contract.ts'
import { MemoryTraceStore } from './trace-store.ts'

describe('the trace in memory', () => {
  const maker = { make: () => new MemoryTraceStore({ env: { MY_TOKEN: 'value-of-the-variable' } }) }
  for (const { title, run } of traceStoreContract) it(title, () => run(maker))
})
