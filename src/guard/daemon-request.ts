// The lines of sh with which a launcher sends a hook call to the daemon and reads its answer. Both launchers use them: the
// launcher of a home, and the launcher of a managed machine.
// They expect the variables payload, host and event, and IFS set to the separator of the answer. After them, a whole
// answer with exit code 0 or 2 has ended the script; every other answer is left to the lines that follow.

/** The words of the protocol that the lines contain. */
export interface RequestWire {
  readonly type: string
  readonly silenceMs: number
  readonly cwdHeader: string
  readonly callerHeader: string
}

export interface AskOptions {
  readonly wire: RequestWire
  /** The words of sh that start curl. */
  readonly curl: string
  /** The word of sh that is the path of the socket. */
  readonly socket: string
  /** The variable of sh that is the working folder. */
  readonly folder: string
  /** Further headers, as words of sh. */
  readonly headers?: readonly string[]
}

/** Defines `ask`, which calls curl. */
export function defineAsk({ wire, curl, socket }: AskOptions): string {
  return `ask() {
  ${curl} -q -s --noproxy '*' --unix-socket ${socket} --max-time ${wire.silenceMs / 1_000} -H 'Accept: ${wire.type}' "$@"
  printf x
}`
}

/** Sends the payload. */
export function sendPayload({ wire, folder, headers = [] }: AskOptions): string {
  const further = [...headers, `"${wire.callerHeader}: $PPID"`].map((header) => `-H ${header}`).join(' ')
  return `answer=$(printf %s "$payload" | ask -H 'Content-Type: application/json' -H 'Expect:' -H "${wire.cwdHeader}: ${folder}" \\
  ${further} --data-binary @- "http://arc/v1/hook/$host/$event")`
}

/** Reads the answer; a daemon that needs longer gives a ticket to ask again with. */
export const READ_ANSWER = `while :; do
  set -- $answer
  [ $# -eq 5 ] && [ "$5" = x ] || break
  case $2 in
    wait) answer=$(ask "http://arc/v1/hook-answer/$3") ;;
    0 | 2)
      printf %s "$4" >&2
      printf %s "$3"
      exit "$2"
      ;;
    *) break ;;
  esac
done`

/** Indents lines of sh by a number of blanks. */
export function indentLines(text: string, blanks: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(blanks))
}
