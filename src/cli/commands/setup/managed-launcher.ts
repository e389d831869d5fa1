// The two programs that setup puts next to the package, both owned by root: the hook that hosts call, and `arc` itself.
// The hook only uses the public socket. Without an answer the call is refused, since the hook cannot read the
// configuration.

import { quoteForShell } from '../../../engine/shell-quote.ts'
import { defineAsk, indentLines, READ_ANSWER, sendPayload } from '../../../guard/daemon-request.ts'
import { ROOT_VARIABLE } from '../../../guard/managed-install.ts'
import {
  CALLER_HEADER,
  CALLER_VARIABLE,
  CWD_HEADER,
  HOOK_WIRE_TYPE,
  SEPARATOR,
  SILENCE_MS,
} from '../../../protocol/hook-wire.ts'

/** The programs used. All paths are absolute and owned by root. */
export interface ManagedPrograms {
  /** The shell with its options, for the first line. */
  readonly shell: string
  readonly env: string
  readonly cat: string
  /** Undefined without curl: then Node sends the request. */
  readonly curl: string | undefined
  readonly node: string
  /** `bin/arc` of the package. */
  readonly arc: string
  readonly socket: string
  readonly root: string
}

const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/** The text of the hook. It exits with 0 or 2 only: hosts ignore any other code. */
export function hookText(programs: ManagedPrograms): string {
  const { shell, env, cat, curl, node, arc, socket, root } = programs
  const clean = `${quoteForShell(env)} -i PATH=${SYSTEM_PATH}`
  return `#!${shell}
# Written by arc setup --managed. Asks the daemon of this machine; without an answer the action is refused.
PATH=${SYSTEM_PATH}
refuse() {
  printf '%s\\n' "ARC refused this: $1 This machine is managed; ask its administrator (sudo arc doctor)." >&2
  exit 2
}
[ "\${1-}" = hook ] && [ $# -ge 2 ] && [ $# -le 3 ] || refuse 'expected hook HOST [EVENT].'
host=$2
given=\${3-}
event=\${3:--}
case $host$event in *[!A-Za-z0-9._-]*) refuse 'the name of the host or event is not valid.' ;; esac
payload=$(${quoteForShell(cat)}; printf x)
payload=\${payload%x}
here=\${PWD-}
IFS='${SEPARATOR}'
set -f
${curl === undefined ? '' : askText({ clean, curl, socket })}
# Node replies in the host's own format, after one more attempt.
printf %s "$payload" | ${clean} ${CALLER_VARIABLE}="$PPID" ${ROOT_VARIABLE}=${quoteForShell(root)} ${quoteForShell(node)} ${quoteForShell(arc)} hook "$host" \${given:+"$given"}
case $? in
  0) exit 0 ;;
  2) exit 2 ;;
  *) refuse 'the hook could not run.' ;;
esac
`
}

// If a header cannot hold the name of the folder, Node sends the request.
function askText({ clean, curl, socket }: { readonly clean: string; readonly curl: string; readonly socket: string }) {
  const wire = {
    type: HOOK_WIRE_TYPE,
    silenceMs: SILENCE_MS,
    cwdHeader: CWD_HEADER,
    callerHeader: CALLER_HEADER,
  }
  const request = {
    wire,
    curl: `${clean} ${quoteForShell(curl)}`,
    socket: quoteForShell(socket),
    folder: '$here',
  }
  return `${defineAsk(request)}
case $here in
  *[!A-Za-z0-9\\ /._:@+,=~-]*) answer= ;;
  *)
${indentLines(sendPayload(request), 4)}
    ;;
esac
${READ_ANSWER}`
}

/** The text of `arc`: runs the root-owned copy without variables that change Node. */
export function commandText({ shell, node, arc, root }: ManagedPrograms): string {
  return `#!${shell}
# Written by arc setup --managed.
unset NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT
${ROOT_VARIABLE}=${quoteForShell(root)}
export ${ROOT_VARIABLE}
exec ${quoteForShell(node)} ${quoteForShell(arc)} "$@"
`
}
