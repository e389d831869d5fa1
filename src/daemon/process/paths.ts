// Where a daemon's files are: in the folder `run` of the home, which only its owner may enter.

import { join } from 'node:path'

/** The folder of everything that belongs to a running daemon. */
export function runDir(home: string): string {
  return join(home, 'run')
}

/** The socket. */
export function socketFile(home: string): string {
  return join(runDir(home), 'arc.sock')
}

/** Who runs. */
export function pidFile(home: string): string {
  return join(runDir(home), 'arc.pid')
}

/** What must be shown at the port. */
export function tokenFile(home: string): string {
  return join(runDir(home), 'token')
}

/** A page that leads a browser to the login link: so the link is in no argument of a program. */
export function loginFile(home: string): string {
  return join(runDir(home), 'open.html')
}

/** What a daemon in the background has to say. */
export function logFile(home: string): string {
  return join(runDir(home), 'daemon.log')
}
