// What third parties test their own parts with: `import { handlerContractFor } from 'arc-supervisor/testing'`.

export { FakeClock } from './fake-clock.ts'
export {
  type Ability,
  type ContractCase,
  type HandlerMaker,
  handlerContract,
  handlerContractFor,
} from './handler-contract.ts'
export { type TraceStoreCase, type TraceStoreMaker, traceStoreContract } from './trace-store-contract.ts'
