// `arc-supervisor/trace`: the durable trace. Exports only; apart from the engine, so that programs without a trace do
// not load a database.

export { MemoryTraceStore } from './storage/memory/trace-store.ts'
export type { Counters, Found, RetainPolicy, TraceFilter, TraceStore } from './storage/ports.ts'
export { type SqliteTraceOptions, SqliteTraceStore } from './storage/sqlite/trace-store.ts'
export { TracedEngine } from './supervisor/traced-engine.ts'
export type { Verification } from './trace/chain.ts'
export { verifyExport } from './trace/export.ts'
export type { EvaluationRecord, EventEntry, EventRecord, LogRow, StepEntry, StepRecord } from './trace/record.ts'
