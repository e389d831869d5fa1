// The roundtables of a home, in its state: those that messages opened in a session, and those of `arc roundtable`, which are
// separate sessions.

import { hostname } from 'node:os'
import type { StateStore } from '../../storage/ports.ts'
import { readRoundtable, roundtableKey, type TableDriver } from '../machine.ts'
import { type TableView, viewTable } from '../view.ts'

/** All that are kept, the oldest first. */
export function listRoundtables(state: Pick<StateStore, 'list'>, at = Date.now()): readonly TableView[] {
  const prefix = roundtableKey('')
  const views = state.list(prefix).flatMap(({ key, value }) => {
    const table = readRoundtable(value)
    return table === undefined ? [] : [viewTable(key.slice(prefix.length), table, { at, isRunning: isDriverRunning })]
  })
  return views.toSorted((a, b) => a.startedAt - b.startedAt)
}

/** The one with this id, by its beginning where that is clear; `last` is the newest. */
export function findRoundtable<T extends { readonly id: string }>(views: readonly T[], id: string): T | undefined {
  if (id === 'last') return views.at(-1)
  const exact = views.find((view) => view.id === id)
  const [found, ...others] = id === '' ? [] : views.filter((view) => view.id.startsWith(id))
  return exact ?? (others.length === 0 ? found : undefined)
}

/** Is the process that drives a table still there? */
export function isDriverRunning({ pid, machine }: TableDriver): boolean {
  if (machine !== hostname()) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process is one, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
