// The program that stands in the hosts' configuration: a few lines of sh that ask a running daemon with curl, and start
// Node only where none runs. It lies in the home, under a path that never changes: a host that trusts a line by its hash
// goes on trusting it over every update.

import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  CALLER_HEADER,
  CALLER_VARIABLE,
  CWD_HEADER,
  HOOK_WIRE_TYPE,
  PROFILE_HEADER,
  SEPARATOR,
  SILENCE_MS,
} from '../../protocol/hook-wire.ts'

/** What the launcher starts. */
export interface Launched {
  readonly home: string
  /** The absolute path of Node: programs with windows start hooks with hardly any PATH. */
  readonly node: string
  /** The absolute path of `arc`. */
  readonly arc: string
}

/** Where the launcher of a home lies. */
export function launcherFile(home: string): string {
  return join(home, 'bin', 'arc')
}

/** Writes the launcher, whole or not at all, and gives its path. */
export function writeLauncher(launched: Launched): string {
  const file = launcherFile(launched.home)
  const text = launcherText(launched)
  if (textOf(file) === text) return file
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, text, { mode: 0o700 })
  chmodSync(fresh, 0o700)
  renameSync(fresh, file)
  return file
}

/** The text of the launcher. */
function launcherText({ home, node, arc }: Launched): string {
  return `#!/bin/sh
# Written by arc install. Asks a running daemon; runs arc itself where there is none, or where it does not answer.
[ -n "\${ARC_HOME:-}" ] || ARC_HOME=${quote(home)}
export ARC_HOME
${CALLER_VARIABLE}=$PPID
export ${CALLER_VARIABLE}
node=${quote(node)}
arc=${quote(arc)}
[ -x "$node" ] || node=node
socket=$ARC_HOME/run/arc.sock
case \${ARC_DAEMON-} in off | asked) socket= ;; esac
if [ "\${1-}" != hook ] || [ $# -lt 2 ] || [ $# -gt 3 ] || [ ! -S "$socket" ] || ! command -v curl >/dev/null 2>&1; then
  exec "$node" "$arc" "$@"
fi
host=$2
event=\${3:--}
# What a header or an address could not hold as it is.
case $host$event\${ARC_PROFILE-} in *[!A-Za-z0-9._-]*) exec "$node" "$arc" "$@" ;; esac
case \${PWD-} in *[!A-Za-z0-9\\ /._:@+,=~-]*) exec "$node" "$arc" "$@" ;; esac
payload=$(cat; printf x)
payload=\${payload%x}
given=\${3-}
IFS='${SEPARATOR}'
set -f
# A daemon that says nothing for ${SILENCE_MS / 1_000} s hangs; one that takes longer gives a ticket to ask again with.
ask() {
  curl -q -s --noproxy '*' --unix-socket "$socket" --max-time ${SILENCE_MS / 1_000} -H 'Accept: ${HOOK_WIRE_TYPE}' "$@"
  printf x
}
answer=$(printf %s "$payload" | ask -H 'Content-Type: application/json' -H 'Expect:' -H "${CWD_HEADER}: \${PWD-}" \\
  -H "${PROFILE_HEADER}: \${ARC_PROFILE-}" -H "${CALLER_HEADER}: $PPID" --data-binary @- "http://arc/v1/hook/$host/$event")
while :; do
  set -- $answer
  [ $# -eq 5 ] && [ "$5" = x ] || break
  case $2 in
    wait) answer=$(ask "http://arc/v1/hook-answer/$3") ;;
    [0-9] | [1-9][0-9] | 1[0-9][0-9])
      printf %s "$4" >&2
      printf %s "$3"
      exit "$2"
      ;;
    *) break ;;
  esac
done
# Not asked again; one that is gone may be started anew.
[ "\${ARC_DAEMON-}" = ask ] && ARC_DAEMON=off || ARC_DAEMON=asked
export ARC_DAEMON
printf %s "$payload" | "$node" "$arc" hook "$host" \${given:+"$given"}
`
}

function quote(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // None yet, or one that cannot be read: it is written anew.
    return undefined
  }
}
