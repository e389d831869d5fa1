// The shortest form of an answer to a hook call, for a shell that has nothing to read JSON with:
//   RS · exit code · RS · stdout · RS · stderr · RS
// What takes longer, as a step that is held for a person, is answered with the exit code `wait` and a ticket to ask for it
// with: so one who waits can tell a daemon that is busy from one that hangs.

/** Asked for with `Accept`. */
export const HOOK_WIRE_TYPE = 'application/vnd.arc.sh'

/** The host's own JSON as the body. */
export const HOST_JSON_TYPE = 'application/vnd.arc.host'

/** Between the parts: JSON never holds it as it is. */
export const SEPARATOR = '\u001e'

/** Headers that say where the hook process ran, for which profile, and which process started it (its pid). */
export const CWD_HEADER = 'x-arc-cwd'
export const PROFILE_HEADER = 'x-arc-profile'
export const CALLER_HEADER = 'x-arc-caller'

/** The variable in which the launcher passes the caller's pid to Node. */
export const CALLER_VARIABLE = 'ARC_HOOK_CALLER'

/** The variable with which the launcher asks Node for an answer with a frame: the form of this file. */
export const FRAME_VARIABLE = 'ARC_HOOK_FRAME'

/** Reads a pid as the launcher writes it; undefined for anything else. */
export function readPid(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

/** After so long a daemon says that it takes longer. */
export const TICKET_AFTER_MS = 800

/** So long a silent daemon is waited for. */
export const SILENCE_MS = 2_000

/** In place of an exit code. */
const WAIT = 'wait'

/** What a hook process gives back. */
export interface WireReply {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Writes an answer down. */
export function encodeReply({ exitCode, stdout, stderr }: WireReply): string {
  return write([String(exitCode), stdout, stderr])
}

/** Writes down that the answer comes later, for this ticket. */
export function encodeTicket(ticket: string): string {
  return write([WAIT, ticket, ''])
}

/** Reads an answer or a ticket; undefined when it is neither, or not whole. */
export function decodeReply(text: string): WireReply | { readonly ticket: string } | undefined {
  const parts = text.split(SEPARATOR)
  const [before, code = '', stdout = '', stderr = '', after] = parts
  if (parts.length !== 5 || before !== '' || after !== '') return undefined
  if (code === WAIT) return { ticket: stdout }
  return /^\d{1,3}$/.test(code) ? { exitCode: Number(code), stdout, stderr } : undefined
}

function write(parts: readonly string[]): string {
  return SEPARATOR + parts.map(clean).join(SEPARATOR) + SEPARATOR
}

// A shell keeps no NUL, and the separator only separates.
function clean(text: string): string {
  return text.replaceAll(SEPARATOR, '\uFFFD').replaceAll('\0', '\uFFFD')
}
