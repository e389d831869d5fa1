import type { Browser } from 'playwright-core'

/** Where the browser is; undefined where there is none and none may be installed, which is said once. */
export function findChromium(): string | undefined

/** Starts it, with a profile of its own that goes with it. */
export function launchChromium(executablePath: string): Promise<Browser>
