// What third parties test their own parts with: `import { handlerContractFor } from 'arc-supervisor/testing'`.

export { CHECKLISTS as AUDIT_CHECKLISTS, CHECKS as AUDIT_CHECKS } from '../hooks/builtin/audit.ts'
export { BUILT_INS } from '../hooks/builtin/list.ts'
export { type BusCase, type BusMaker, busContract } from './bus-contract.ts'
export { expectAllowed, expectBlocked, type OutcomeSource } from './expect-outcome.ts'
export { FakeClock } from './fake-clock.ts'
export {
  type Ability,
  type ContractCase,
  type HandlerMaker,
  handlerContract,
  handlerContractFor,
} from './handler-contract.ts'
export {
  type CapturedPayload,
  type HostCase,
  type HostEffect,
  type HostSubject,
  hostContract,
} from './host-contract.ts'
export { hostilePayloads } from './hostile-payloads.ts'
export { type StateStoreCase, type StateStoreMaker, stateStoreContract } from './state-store-contract.ts'
export { type TaskStoreCase, type TaskStoreMaker, taskStoreContract } from './task-store-contract.ts'
export { type TraceStoreCase, type TraceStoreMaker, traceStoreContract } from './trace-store-contract.ts'
