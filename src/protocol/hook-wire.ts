// The reply to a hook call in a form that a shell can read without a JSON parser:
//   RS · exit code · RS · stdout · RS · stderr · RS
// A reply that takes longer, such as a step that waits for approval, has the exit code `wait` and a ticket to collect the
// reply with. So the caller can tell a busy daemon from a daemon that hangs.

/** The `Accept` type of this form. */
export const HOOK_WIRE_TYPE = 'application/vnd.arc.sh'

/** The `Accept` type for the host's own JSON. */
export const HOST_JSON_TYPE = 'application/vnd.arc.host'

/** Separates the parts: JSON never contains it unescaped. */
export const SEPARATOR = '\u001e'

/** Headers: the working folder of the hook process, the profile, and the pid of the process that started the hook. */
export const CWD_HEADER = 'x-arc-cwd'
export const PROFILE_HEADER = 'x-arc-profile'
export const CALLER_HEADER = 'x-arc-caller'

/** The variable in which the launcher passes the caller's pid to Node. */
export const CALLER_VARIABLE = 'ARC_HOOK_CALLER'

/** The variable with which the launcher requests a reply in the form of this file. */
export const FRAME_VARIABLE = 'ARC_HOOK_FRAME'

/** Reads a pid as the launcher writes it; undefined for anything else. */
export function readPid(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}

/** After this time a daemon replies with a ticket. */
export const TICKET_AFTER_MS = 800

/** How long to wait for a daemon that sends nothing. */
export const SILENCE_MS = 2_000

/** Instead of an exit code. */
const WAIT = 'wait'

/** The output of a hook process. */
export interface HookReply {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Encodes a reply. */
export function encodeReply({ exitCode, stdout, stderr }: HookReply): string {
  return join([String(exitCode), stdout, stderr])
}

/** Encodes a ticket: the reply comes later. */
export function encodeTicket(ticket: string): string {
  return join([WAIT, ticket, ''])
}

/** Decodes a reply or a ticket; undefined if the text is invalid or incomplete. */
export function decodeReply(text: string): HookReply | { readonly ticket: string } | undefined {
  const parts = text.split(SEPARATOR)
  const [before, code = '', stdout = '', stderr = '', after] = parts
  if (parts.length !== 5 || before !== '' || after !== '') return undefined
  if (code === WAIT) return { ticket: stdout }
  return /^\d{1,3}$/.test(code) ? { exitCode: Number(code), stdout, stderr } : undefined
}

function join(parts: readonly string[]): string {
  return SEPARATOR + parts.map(removeControl).join(SEPARATOR) + SEPARATOR
}

// A shell drops NUL, and the separator must occur only between parts.
function removeControl(text: string): string {
  return text.replaceAll(SEPARATOR, '\uFFFD').replaceAll('\0', '\uFFFD')
}
