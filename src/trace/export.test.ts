import { expect, it } from 'vitest'
import { MemoryTraceStore } from '../storage/memory/trace-store.ts'
import { verifyExport } from './export.ts'

function exported(): string[] {
  const store = new MemoryTraceStore()
  for (const id of ['a', 'b', 'c']) {
    void store.append({
      id,
      time: 1,
      profile: 'default',
      component: 'daemon',
      action: 'test',
      level: 'info',
      reason: id,
    })
  }
  return [...store.export()]
}

it.each(['{"cut":null}', '{"cut":5}', '{"cut":{"seq":"1"}}', '{"cut":{"seq":1.5,"hash":""}}', 'null', '[]', '{'])(
  'a line that is none, such as %s, is the first bad record and no crash',
  (line) => {
    const lines = exported()
    expect(verifyExport(lines)).toMatchObject({ ok: true, records: 3 })
    expect(verifyExport([line, ...lines.slice(1)]).firstBad?.seq).toBe(1)
    expect(verifyExport([...lines.slice(0, 1), line, ...lines.slice(2)]).firstBad?.seq).toBe(2)
  },
)
