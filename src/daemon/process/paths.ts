// The files of a daemon: in the folder `run` of the home, which only its owner may enter.

import { join } from 'node:path'

/** The folder of a daemon's files. */
export function runDir(home: string): string {
  return join(home, 'run')
}

/** The Unix socket. */
export function socketFile(home: string): string {
  return join(runDir(home), 'arc.sock')
}

/** The pid file. */
export function pidFile(home: string): string {
  return join(runDir(home), 'arc.pid')
}

/** The token for the port. */
export function tokenFile(home: string): string {
  return join(runDir(home), 'token')
}

/** A page that redirects a browser to the login link, so that the link is in no command line. */
export function loginFile(home: string): string {
  return join(runDir(home), 'open.html')
}

/** The log of a daemon in the background. */
export function logFile(home: string): string {
  return join(runDir(home), 'daemon.log')
}
