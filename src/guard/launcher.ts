// The launcher: the program in the configuration of every host. A short sh script that calls a running daemon with
// curl, and starts Node only if no daemon answers. It trusts no program, option or variable of its caller, and it fails
// closed: see docs/decisions/0017-the-launcher-fails-closed.md. Its path never changes, because hosts trust it by hash.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mode } from '../engine/mode.ts'
import { quoteForShell, unquoteFromShell } from '../engine/shell-quote.ts'
import { AGENT_FACTS } from '../hosts/facts/list.ts'
import { defineAsk, indentLines, READ_ANSWER, type RequestWire, sendPayload } from './daemon-request.ts'
import { findPartNotOwnedByRoot } from './root-owned.ts'

/** The programs and the home of a launcher. */
export interface LauncherOptions {
  readonly home: string
  /** The absolute path of Node: desktop programs run hooks with a minimal PATH. */
  readonly node: string
  /** The absolute path of `arc`. */
  readonly arc: string
  /** The state folder outside of the home. */
  readonly stateDir: string
  readonly wire: LauncherWire
  /** The replies to hosts when ARC cannot run. */
  readonly failures: readonly FailureReply[]
  /** False when the daemon belongs to another user: the permissions of its folder protect the socket. */
  readonly isSocketOwn?: boolean
}

/** The terms of the protocol between the launcher, the daemon and Node. */
interface LauncherWire extends RequestWire {
  readonly separator: string
  readonly profileHeader: string
  readonly callerVariable: string
  readonly frameVariable: string
  readonly stateDirVariable: string
}

/** The reply for one event of one host, when ARC cannot run in enforce. */
export interface FailureReply {
  readonly host: string
  readonly event: string
  /** Undefined when the event cannot be stopped. */
  readonly reply?: { readonly stdout: string; readonly exitCode: number } | undefined
  /** Whether the payload contains the event name; otherwise the command line does. */
  readonly isInPayload: boolean
}

/** The path of the launcher of a home. */
export function launcherFile(home: string): string {
  return join(home, 'bin', 'arc')
}

/** The file with the mode in force. Without the file, the launcher assumes enforce. */
export function launcherModeFile(home: string): string {
  return join(home, 'bin', 'mode')
}

/** The path of `arc` in the launcher of a home; undefined without a launcher. */
export function readLauncherProgram(home: string): string | undefined {
  const [, quoted] = /^arc=('.*')$/m.exec(readText(launcherFile(home)) ?? '') ?? []
  return quoted === undefined ? undefined : unquoteFromShell(quoted)
}

/** Writes the launcher atomically and returns its path. */
export function writeLauncher(launched: LauncherOptions): string {
  const file = launcherFile(launched.home)
  const text = buildLauncherText(launched)
  if (readText(file) === text) return file
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replace(file, text, 0o700)
  return file
}

/** The launcher text with the programs of this machine. */
export function buildLauncherText(launched: LauncherOptions): string {
  return launcherText(launched, shellOptions(), trustedProgram('curl'), trustedProgram('cat') ?? '/bin/cat')
}

/** Writes the mode for an existing launcher. If the write fails, the launcher stays as strict as before. */
export function writeLauncherMode(home: string, mode: Mode): void {
  const file = launcherModeFile(home)
  if (!existsSync(launcherFile(home)) || readText(file) === `${mode}\n`) return
  try {
    replace(file, `${mode}\n`, 0o600)
  } catch (error) {
    process.stderr.write(`arc: ${file} cannot be written: ${String(error)}\n`)
  }
}

function replace(file: string, text: string, mode: number): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode })
  chmodSync(draft, mode)
  renameSync(draft, file)
}

const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin']

/** The path of a program that only root can replace; undefined if there is none. */
function trustedProgram(name: string): string | undefined {
  const paths = SYSTEM_FOLDERS.map((folder) => join(folder, name)).filter((path) => existsSync(path))
  return paths.map((path) => realpathSync(path)).find((path) => findPartNotOwnedByRoot(path) === undefined)
}

// With -p, a shell imports no functions and options from its environment. Not every /bin/sh supports -p.
function shellOptions(): string {
  return spawnSync('/bin/sh', ['-p', '-c', ':'], { env: {}, timeout: 5_000 }).status === 0 ? ' -p' : ''
}

// The variables that reach curl, Node and command hooks. Other variables could change their behaviour: options for Node,
// libraries, configuration of OpenSSL and curl, proxies, state folders.
const ALLOWED = [
  ...['HOME', 'USER', 'LOGNAME', 'SHELL', 'PATH', 'PWD', 'TERM', 'COLORTERM', 'NO_COLOR', 'TZ', 'TMPDIR'],
  ...['LANG', 'LANGUAGE', 'LC_*', 'ARC_PROFILE', 'ARC_LAUNCH', 'ARC_DAEMON'],
  ...['*_API_KEY', '*_TOKEN', '*_SECRET', '*_PROJECT_DIR', '*_SESSION_ID'],
  ...AGENT_FACTS.flatMap(({ variables: { prefix, markers } }) => [
    `${prefix}_*`,
    ...markers.filter((name) => !name.startsWith(`${prefix}_`)),
  ]),
  ...['ANTHROPIC_*', 'OPENAI_*'],
]
// Hosts that stop at any exit code but 0; the empty word keeps the pattern valid without one.
const STRICT_HOSTS = ["''", ...AGENT_FACTS.filter((facts) => facts.stopsAtAnyFailure).map(({ name }) => name)].join(
  ' | ',
)
// Some shells exit when these variables are unset.
const FIXED = ['PPID', 'UID', 'EUID', 'SHELLOPTS', 'BASHOPTS', 'BASH_VERSINFO']

/** The text of the launcher. */
function launcherText(launched: LauncherOptions, options: string, curl: string | undefined, cat: string): string {
  const { home, node, arc, stateDir, wire } = launched
  return `#!/bin/sh${options}
# Written by arc install. Asks a running daemon; runs arc itself where there is none, or where it does not answer.
unset -f [ test printf read
ARC_HOME=${quoteForShell(home)}
node=${quoteForShell(node)}
arc=${quoteForShell(arc)}
[ -x "$node" ] || node=/usr/bin/node
if [ "\${1-}" != hook ] || [ $# -lt 2 ] || [ $# -gt 3 ]; then
  export ARC_HOME
  "$node" "$arc" "$@"
  exit
fi
# Only the variables of this list reach any program.
set -f
IFS='
'
for name in $(export -p); do
  name=\${name#export }
  name=\${name#declare -x }
  name=\${name%%=*}
  case $name in
    ${[...ALLOWED, ...FIXED].join(' | ')}) ;;
    '' | [0-9]* | *[!A-Za-z0-9_]*) ;;
    *) unset "$name" ;;
  esac
done
path=\${PATH-}
PATH=/usr/sbin:/usr/bin:/sbin:/bin
ARC_HOME=${quoteForShell(home)}
${wire.stateDirVariable}=${quoteForShell(stateDir)}
${wire.callerVariable}=$PPID
export PATH ARC_HOME ${wire.stateDirVariable} ${wire.callerVariable}
node=${quoteForShell(node)}
arc=${quoteForShell(arc)}
[ -x "$node" ] || node=/usr/bin/node
host=$2
given=\${3-}
event=\${3:--}
profile=\${ARC_PROFILE-}
[ -z "$profile" ] || profile=$profile\${ARC_LAUNCH:+@$ARC_LAUNCH}
${askText(launched, curl, cat)}${nodeText(wire)}${failureText(launched)}`
}

// Only a whole answer of the daemon with exit code 0 or 2 counts.
function askText({ wire, isSocketOwn = true }: LauncherOptions, curl: string | undefined, cat: string): string {
  const headers = [`"${wire.profileHeader}: $profile"`]
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax, not a template.
  const request = { wire, curl: '"$curl"', socket: '"$socket"', folder: '${PWD-}', headers }
  const lines = indentLines([defineAsk(request), sendPayload(request), READ_ANSWER].join('\n'), 2)
  return `payload=$(${quoteForShell(cat)}; printf x)
payload=\${payload%x}
IFS='${wire.separator}'
socket=$ARC_HOME/run/arc.sock
case \${ARC_DAEMON-} in off | asked) socket= ;; esac
# What a header or an address could not hold as it is.
case $host$event in *[!A-Za-z0-9._-]*) socket= ;; esac
case $profile in *[!A-Za-z0-9._@-]*) socket= ;; esac
case \${PWD-} in *[!A-Za-z0-9\\ /._:@+,=~-]*) socket= ;; esac
curl=${quoteForShell(curl ?? '')}
if [ -S "$socket" ] && ${isSocketOwn ? '[ -O "$socket" ] && ' : ''}[ -x "$curl" ]; then
  # A daemon that says nothing for ${wire.silenceMs / 1_000} s hangs; one that takes longer gives a ticket to ask again with.
${lines}
  # Not asked again; one that is gone may be started anew.
  [ "\${ARC_DAEMON-}" = ask ] && ARC_DAEMON=off || ARC_DAEMON=asked
  export ARC_DAEMON
fi
`
}

// Runs Node. Its answer is framed, so that missing or partial output does not count as a pass.
function nodeText({ frameVariable }: LauncherWire): string {
  return `answer=$(printf %s "$payload" | PATH=$path ${frameVariable}=1 "$node" "$arc" hook "$host" \${given:+"$given"}
  code=$?
  printf x
  exit $code)
code=$?
set -- $answer
if [ $# -eq 5 ] && [ "$5" = x ] && [ "$2" = "$code" ]; then
  case $code in
    0 | 2)
      printf %s "$4" >&2
      printf %s "$3"
      exit "$code"
      ;;
  esac
fi
`
}

// ARC could not run. The mode decides; if it is unknown, enforce.
function failureText({ home, failures }: LauncherOptions): string {
  const names = (isStoppable: boolean) =>
    [
      ...new Set(
        failures.filter((one) => one.isInPayload && (one.reply !== undefined) === isStoppable).map((one) => one.event),
      ),
    ].join(' ')
  const arms = failures.flatMap(({ host, event, reply }) =>
    reply === undefined ? [] : [`  ${host}:${event}) answer ${quoteForShell(reply.stdout)} ${reply.exitCode} ;;`],
  )
  const free = failures.filter(({ reply }) => reply === undefined).map(({ host, event }) => `${host}:${event}`)
  return `mode=
[ ! -r ${quoteForShell(launcherModeFile(home))} ] || read -r mode <${quoteForShell(launcherModeFile(home))}
case $mode in off | log | advise) ;; *) mode=enforce ;; esac
# A project may ask for more.
dir=\${PWD-}
while [ $mode != enforce ] && [ $mode != off ]; do
  for file in "$dir"/.arc/config.json "$dir"/.arc/config.jsonc "$dir"/.arc/config.yaml "$dir"/.arc/config.yml; do
    [ -r "$file" ] || continue
    while read -r line || [ -n "$line" ]; do
      case $line in *enforce | *enforce[!m]*) mode=enforce ;; esac
    done <"$file"
  done
  case $dir in */*) dir=\${dir%/*} ;; *) break ;; esac
done
[ $mode != off ] || exit 0
printf '%s\\n' "ARC could not check this: $node $arc hook $host ended with exit code $code and gave no answer." \\
  "Nothing was recorded. To repair it, run: arc doctor, then arc install $host" >&2
# Continues, and the host shows the message. Some hosts would stop at any code but 0.
pass() {
  case $host in ${STRICT_HOSTS}) exit 0 ;; esac
  exit 1
}
answer() {
  printf %s "$1"
  exit "$2"
}
[ $mode = enforce ] || pass
name=$given
if [ -z "$name" ]; then
  for name in ${names(true)} ${names(false)} -; do
    case $payload in *"\\"hook_event_name\\":\\"$name\\""* | *"\\"hook_event_name\\": \\"$name\\""*) break ;; esac
  done
fi
case $host:$name in
${arms.join('\n')}
  ${free.join(' | ')}) pass ;;
esac
exit 2
`
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // Missing or unreadable: it is written again.
    return undefined
  }
}
