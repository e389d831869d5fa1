// The events that are registered with a host: those of every installation, and those that hosts send with each request to
// the model, which are registered only if a hook at their point is configured. Pure.

import type { Host, HostEvents } from '../host.ts'
import type { InstallTarget, Texts } from './install-file.ts'

type Events = Pick<Host, 'events'>

/** The events that `arc install` always registers. */
export function listInstalledEvents({ events }: Events): readonly string[] {
  return Object.keys(events).filter((name) => events[name]?.isInstalled)
}

/** The events that are registered on demand; with points, only the events at these. */
export function listOnDemand({ events }: Events, points?: readonly string[]): readonly string[] {
  return Object.keys(events).filter((name) => {
    const row = events[name]
    return row?.isOnDemand === true && (points?.includes(row.point) ?? true)
  })
}

/** The events to register: always those of every installation, and of the others the given ones. */
export function listWantedEvents(events: HostEvents, onDemand: readonly string[]): readonly string[] {
  // At the end and in the given order, so that lines that were added later have the same order.
  const added = [...new Set(onDemand)].filter((name) => listOnDemand({ events }).includes(name))
  return [...listInstalledEvents({ events }), ...added]
}

/** The events with ARC's lines in the files of a host that are registered on demand. */
export function findOnDemand(host: Host, place: InstallTarget, texts: Texts): readonly string[] {
  const present = host.install.files(place).flatMap(({ path, eventsIn }) => eventsIn?.(texts.get(path) ?? '') ?? [])
  return listOnDemand(host).filter((name) => present.includes(name))
}
