// Compares the build of a running daemon with the build of this program.

import { readBuild } from '../daemon/process/build.ts'
import type { HealthView } from '../protocol/messages.ts'
import { context } from './context.ts'
import { VERSION } from './version.ts'

/** The build of this program; its version where the build is unknown. */
export function ownBuild(): string {
  return readBuild(context().program) ?? VERSION
}

/** Is the daemon another build? Daemons of old versions name only their version. */
export function isOtherBuild({ build, version }: Pick<HealthView, 'version'> & Partial<HealthView>): boolean {
  return typeof build === 'string' ? build !== ownBuild() : version !== VERSION
}

/** The build of a daemon. */
export function daemonBuild({ build, version }: Pick<HealthView, 'version'> & Partial<HealthView>): string {
  return build ?? version
}
