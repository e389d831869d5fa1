// `arc-supervisor/trace`: the durable trace. Exports only; apart from the engine, so that programs without a trace do
// not load a database.

export { TracedEngine } from './runtime/traced-engine.ts'
export { type SqliteTraceOptions, SqliteTraceStore } from './store/trace-store.ts'
export type { Verification } from './trace/chain.ts'
export { verifyExport } from './trace/export.ts'
export { MemoryTraceStore } from './trace/memory-store.ts'
export type { EvaluationRecord, EventEntry, EventRecord, LogRow, StepEntry, StepRecord } from './trace/record.ts'
export type { Counters, Found, RetainPolicy, TraceFilter, TraceStore } from './trace/store.ts'
