// What `trace.keep` of the configuration means at a moment.

import type { KeepPolicy } from './retention-run.ts'

const DAY_MS = 86_400_000

/** The limits of the configuration; null for no limit. */
export interface KeepSettings {
  readonly days: number | null
  readonly bytes: number | null
}

export function readKeepPolicy({ days, bytes }: KeepSettings, now: number): KeepPolicy {
  return { before: days === null ? undefined : now - days * DAY_MS, bytes: bytes ?? undefined }
}
