// `arc hook` through the command tree: only for its help and usage errors. main.ts answers agents directly.

import { runHook } from '../hook/main.ts'

/** Answers a hook call. */
export function hook(host: string, event: string | undefined): Promise<number> {
  return runHook(event === undefined ? [host] : [host, event])
}
