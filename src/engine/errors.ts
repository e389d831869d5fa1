// Every error the product can raise on purpose: one table of codes, one class, one way to word it.
// A message says what was expected, what came, and what to do. The table is the source of docs/reference/errors.md.

/** The catalogue: code → when it is raised and what to do about it. */
export const ERRORS = {
  ARC_POINT_UNKNOWN: {
    when: 'A hook is registered or a step is dispatched at a point that does not exist.',
    fix: 'Use one of the names in the table of points, or declare your own with definePoint.',
  },
  ARC_POINT_DUPLICATE: {
    when: 'A program declares a point whose name or spelling is already taken.',
    fix: 'Choose another name.',
  },
  ARC_POINT_INVALID: {
    when: 'A declared point has a bad name or definition.',
    fix: 'Give a name of lower-case words joined by ":" and, in modify, a list of field names.',
  },
  ARC_OPTION_UNKNOWN: {
    when: 'An option is given that does not exist, usually a typing error.',
    fix: 'Use the suggested name or remove the option.',
  },
  ARC_OPTION_INVALID: {
    when: 'An option has a value it cannot have: a priority that is not a finite number, an unknown mode, a negative limit.',
    fix: 'Give a value of the kind that the message names.',
  },
  ARC_HANDLER_INVALID: {
    when: 'What should handle steps is neither a function nor an object with a check function.',
    fix: 'Pass a function, or { name, check(step) { … } }.',
  },
  ARC_HOOK_DUPLICATE: {
    when: 'A second hook of the same name is registered at one point.',
    fix: 'Choose another name, or pass replace: true to put the new hook in the place of the old one.',
  },
  ARC_HOOK_UNKNOWN: {
    when: 'A hook is enabled or disabled that is not registered.',
    fix: 'Use the name it was registered with.',
  },
  ARC_HOOK_LIMIT: {
    when: 'A point would hold more hooks than maxHooksPerPoint allows.',
    fix: 'Remove hooks that are no longer needed, or raise maxHooksPerPoint.',
  },
  ARC_PATTERN_INVALID: {
    when: 'A matcher holds a glob or regular expression that cannot be read, or one that could never match.',
    fix: 'Correct the pattern at the place that the message shows.',
  },
  ARC_COMMAND_INVALID: {
    when: 'A command hook is not a command, or has a placeholder where no safe form exists.',
    fix: 'Use the variable instead ("$ARC_TOOL_NAME"), or put the placeholder where it is an ordinary word.',
  },
  ARC_URL_INVALID: {
    when: 'The address of an HTTP or prompt hook is not an http or https URL.',
    fix: 'Give a full address, such as http://127.0.0.1:8080/review.',
  },
  ARC_STORE_NEWER: {
    when: 'The database was written by a newer version of ARC. It is left as it is.',
    fix: 'Update arc-supervisor, or set ARC_HOME to another folder.',
  },
  ARC_STORE_BUSY: {
    when: 'Another process kept the database locked for longer than anybody can wait.',
    fix: 'Look for a program that holds it open, such as a backup or a database browser.',
  },
  ARC_STORE_UNAVAILABLE: {
    when: 'The database cannot be opened or written: no right to, no folder, a full or read-only disk.',
    fix: 'Check that its folder exists and can be written to.',
  },
  ARC_SQLITE_MISSING: {
    when: 'No SQLite can be loaded: neither node:sqlite, nor libsql, nor better-sqlite3. The message gives the reason for each.',
    fix: 'Use Node 22.16 or newer, or install arc-supervisor again on this machine without --omit=optional.',
  },
  ARC_CONFIG_INVALID: {
    when: 'A setting cannot be changed as asked, because the file is or would become invalid. Nothing was written.',
    fix: 'Correct what the message names; a key is written like hooks.risk-detection.timeout.',
  },
  ARC_CONFIG_UNWRITABLE: {
    when: 'A configuration file or its folder cannot be written: no right to, a full or read-only disk.',
    fix: 'Check who may write there, or set ARC_HOME to another folder.',
  },
  ARC_CONFIG_BUSY: {
    when: 'Another process holds the lock of a configuration file for too long.',
    fix: 'Try again; if no arc command runs, delete the lock file.',
  },
  ARC_PROFILE_UNKNOWN: {
    when: 'A profile is named that does not exist, or whose name cannot be one.',
    fix: 'Use one of those that "arc profile list" shows.',
  },
  ARC_PROFILE_EXISTS: {
    when: 'A profile is created under a name that is taken.',
    fix: 'Choose another name, or change the one there is with "arc profile set".',
  },
  ARC_PROFILE_IN_USE: {
    when: 'The profile in use, or one that another builds on, would be deleted.',
    fix: 'Choose another one first with "arc profile use".',
  },
  ARC_SCRIPT_INVALID: {
    when: 'A script, or the step it is to be tried on, cannot be used.',
    fix: 'Correct what the message names; "arc script check" shows every mistake in a script.',
  },
  ARC_SUPERVISOR_CLOSED: {
    when: 'A step is sent to a supervisor after its close().',
    fix: 'Close a supervisor last, or make another one with createSupervisor.',
  },
  ARC_APPROVAL_UNKNOWN: {
    when: 'An answer is given to a step that is not held.',
    fix: 'Look at "arc approvals list" for what is held.',
  },
  ARC_APPROVAL_OVER: {
    when: 'An answer is given to a step that was answered already, or whose time is over.',
    fix: 'Let the agent try again: the step is then held anew.',
  },
  ARC_APPROVALS_FULL: {
    when: 'Too many held steps wait for an answer.',
    fix: 'Answer those of "arc approvals list".',
  },
  ARC_NEEDS_PERSON: {
    when: 'An agent, or a process without a terminal, asks for what only a person may do.',
    fix: 'Run it yourself in a terminal, or use the page: arc open.',
  },
  ARC_DATA_INVALID: {
    when: 'A step is dispatched with data that is not an object.',
    fix: 'Pass the fields of the point as one object, for example { tool, args }.',
  },
  ARC_ID_TAKEN: {
    when: 'A step is sent to the daemon under an id that is in the record already.',
    fix: 'Leave the id out, or send another one.',
  },
  ARC_HOST_UNKNOWN: {
    when: 'A command names an agent for which there is no adapter.',
    fix: 'Use one of the names that the message lists.',
  },
  ARC_INSTALL_FAILED: {
    when: "An agent's configuration could not be read or written, or changed while it was being edited.",
    fix: 'Run the command again; if it fails again, check that you may write to the file.',
  },
  ARC_DAEMON_FAILED: {
    when: 'The daemon could not be started: a port in use, a path too long for a socket, no right to write.',
    fix: 'Choose another port with --port, or look with "arc status" and "arc doctor" at what is in the way.',
  },
  ARC_NEEDS_ROOT: {
    when: 'A command that changes the machine does not run as root.',
    fix: 'Run it with sudo.',
  },
  ARC_MANAGED: {
    when: 'A managed machine does not open this command to this account, or its daemon does not answer.',
    fix: 'Use sudo or an account of the approvers; see "arc doctor".',
  },
  ARC_SETUP_FAILED: {
    when: 'Managed mode could not be set up or removed; earlier steps were made.',
    fix: 'Correct what the message names and run it again.',
  },
  ARC_SAMPLE_FAILED: {
    when: 'The sample session could not be played to its end: no git, or its agent ended early.',
    fix: 'Install git, and look at what stands above the message.',
  },
  ARC_LAUNCH_INVALID: {
    when: 'A profile names no agent that could be launched, or its program is not there.',
    fix: 'Set it with "arc profile set tool claude", and install the program.',
  },
  ARC_TASK_UNKNOWN: {
    when: 'A task is named that does not exist, or no longer.',
    fix: 'Look at "arc task list" for those there are.',
  },
  ARC_TASK_TRANSITION: {
    when: 'A task is moved in a way that its status does not allow, or somebody else moved it first.',
    fix: 'Look at the task again: "arc task show ID" has its status and history.',
  },
  ARC_TASK_ACTOR: {
    when: 'A task is moved by an agent whose part that is not.',
    fix: 'Only its assignee accepts, completes, fails or asks; only who delegated it answers or cancels.',
  },
  ARC_TASK_SELF: {
    when: 'An agent delegates a task to itself.',
    fix: 'Give it to another agent.',
  },
  ARC_TASK_BLOCKED: {
    when: 'The pipeline did not let a task be delegated. Nothing was stored.',
    fix: 'Change the task as the reason says; "arc why last" shows the whole decision.',
  },
  ARC_TASK_HELD: {
    when: 'A task has to be approved by a person before it is delegated. Nothing was stored.',
    fix: 'Look at "arc approvals list"; once approved, delegate it again unchanged.',
  },
  ARC_ROUNDTABLE_UNKNOWN: {
    when: 'A roundtable is named that does not exist, or no longer.',
    fix: 'Look at "arc roundtable list" for those there are.',
  },
  ARC_ROUNDTABLE_TAKEN: {
    when: 'A roundtable is to be gone on with that is over, or that somebody else drives.',
    fix: 'Look at "arc roundtable show ID": read what was said, or wait until the other one ends.',
  },
  ARC_ROUNDTABLE_INVALID: {
    when: 'A roundtable cannot be held as asked: too few agents, or one that nobody knows how to ask.',
    fix: "Name profiles or known agents, or give a command that answers on stdout: --agent name='command'.",
  },
  ARC_BUS_INVALID: {
    when: 'A subject, pattern, listener or message cannot be one, or the bus is closed.',
    fix: 'Use words with dots between them, * and > in patterns only, and plain JSON as data.',
  },
  ARC_BUS_NO_RESPONDER: {
    when: 'A request is sent where nobody listens.',
    fix: 'Start whoever should answer first.',
  },
  ARC_BUS_TIMEOUT: {
    when: 'No answer to a request came in time.',
    fix: 'Give a longer timeoutMs, or look at what keeps the other one.',
  },
} as const satisfies Record<string, { when: string; fix: string }>

/** The stable code of an error, for programs to branch on. */
export type ErrorCode = keyof typeof ERRORS

/** Misuse of the library: thrown at once, with a stable `code`. Expected outcomes are values, never this. */
export class ArcError extends Error {
  override readonly name = 'ArcError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(`${message} ${ERRORS[code].fix} [${code}]`)
    this.code = code
  }
}

/** Shows a received value in an error message: short, one line, never throws. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value, 60))
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return clip(showPrimitive(value), 60)
  try {
    if (Array.isArray(value) && value.length > MAX_SHOWN) return `a list of ${value.length} items`
    return clip(JSON.stringify(value, shownPart()), 60)
  } catch {
    return 'an object that cannot be shown'
  }
}

// Whoever made the value chooses its size, so only the beginning of it is ever looked at.
const MAX_SHOWN = 100

function shownPart(): (key: string, part: unknown) => unknown {
  let shown = 0
  return (_key, part) => {
    if (++shown > MAX_SHOWN) return undefined
    if (typeof part === 'bigint') return showPrimitive(part)
    if (typeof part === 'string') return clip(part, 60)
    return Array.isArray(part) && part.length > MAX_SHOWN ? `a list of ${part.length} items` : part
  }
}

function showPrimitive(value: unknown): string {
  return typeof value === 'bigint' ? `${value}n` : String(value)
}

/** The longest text that is kept of a reason or message. */
export const MAX_TEXT = 4_000

/** One line about something that was thrown. Never throws itself. */
export function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return clip(`${thrown.name}: ${thrown.message}`, MAX_TEXT)
    return clip(String(thrown), MAX_TEXT)
  } catch {
    return 'something that cannot be shown'
  }
}

/** ` Did you mean "x"?` for the nearest known name, or nothing when none is near. */
export function didYouMean(given: string, known: Iterable<string>): string {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(given.length / 3)) + 1
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best === undefined ? '' : ` Did you mean ${JSON.stringify(best)}?`
}

/** Throws when an options object holds a key that is not in the list. */
export function rejectUnknownOptions(given: object, known: readonly string[], where: string): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ArcError('ARC_OPTION_INVALID', `${where} takes an object of options, not ${show(given)}.`)
  }
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue
    throw new ArcError(
      'ARC_OPTION_UNKNOWN',
      `${where} does not know the option ${show(key)}; it knows ${known.join(', ')}.${didYouMean(key, known)}`,
    )
  }
}

/** Cuts a text to a length, marking the cut. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

// Edit distance in which a swap of neighbours counts as one: the commonest slip of the fingers.
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || a.length > 80 || b.length > 80) return limit
  let older: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) best = Math.min(best, (older[j - 2] ?? 0) + 1)
      row.push(best)
    }
    older = previous
    previous = row
  }
  return previous[b.length] ?? limit
}
