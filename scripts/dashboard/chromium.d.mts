import type { Browser } from 'playwright-core'

/** Where the browser is; undefined where there is none and none may be installed, which is said once. */
export function findChromium(): string | undefined

/** Is there a browser already? */
export function hasChromium(): boolean

/** Starts Chromium with a temporary profile. */
export function launchChromium(executablePath: string): Promise<Browser>
