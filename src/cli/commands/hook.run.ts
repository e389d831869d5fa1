// `arc hook` by way of the command tree: for its help and its usage errors. Hosts come in by a shorter way.

import { runHook } from '../hook/main.ts'

/** Answers a host. */
export function hook(host: string, event: string | undefined): Promise<number> {
  return runHook(event === undefined ? [host] : [host, event])
}
