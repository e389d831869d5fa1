// When a daemon ends without a signal: its home is gone, another daemon serves its home, another build of ARC is installed,
// or a daemon that a hook started is idle.

import { trimLog } from './background.ts'
import type { InstalledBuild } from './build.ts'
import { type IdleOptions, watchBuild, watchIdle } from './idle.ts'
import { keepRunFiles, type RunFilesOptions } from './run-files.ts'

/** Why a daemon ends. */
export interface Ending {
  readonly why: string
  /** The build that serves the home next; the process that ends starts it. */
  readonly successor?: InstalledBuild | undefined
}

export interface LifetimeOptions extends RunFilesOptions {
  /** The build of the running program, if it is known. */
  readonly build: InstalledBuild | undefined
  /** Whether the daemon runs without a terminal: only then it is replaced without being asked. */
  readonly isBackground: boolean
  /** Set for a daemon that a hook started. */
  readonly idle: Omit<IdleOptions, 'onCheck'> | undefined
}

/** Watches until the daemon should end, and keeps its files in place meanwhile. */
export function watchLifetime(options: LifetimeOptions): { readonly ended: Promise<Ending>; stop(): void } {
  const { home, build, isBackground, idle, report } = options
  const files = keepRunFiles(options)
  const use = idle && watchIdle({ ...idle, onCheck: () => trimLog(home) })
  let replace: (ending: Ending) => void = () => undefined
  const replaced = new Promise<Ending>((resolve) => {
    replace = resolve
  })
  const builds = watchBuild(home, build, (successor) => {
    const what = `ARC ${successor.build} is installed`
    if (isBackground) replace({ why: `${what} and takes over`, successor })
    else report(`${what}, and this daemon is ${build?.build}. Restart it: press Ctrl-C, then run arc serve`)
  })
  const reasons = [files.why, ...(use === undefined ? [] : [use.why])]
  return {
    ended: Promise.race([replaced, ...reasons.map((why) => why.then((text): Ending => ({ why: text })))]),
    stop: () => {
      for (const watch of [files, builds, use]) watch?.stop()
    },
  }
}
