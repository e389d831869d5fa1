// Every error that ARC raises on purpose: one table of codes, one class.
// A message says what was expected, what was received, and what to do. The table is the source of docs/reference/errors.md.

/** The catalogue: code → when it is raised and what to do about it. */
export const ERRORS = {
  ARC_POINT_UNKNOWN: {
    when: 'A hook is registered or a step is dispatched at a point that does not exist.',
    fix: 'Use a name from the table of points, or declare your own point with definePoint.',
  },
  ARC_POINT_DUPLICATE: {
    when: 'A program declares a point whose name or alias exists already.',
    fix: 'Choose another name.',
  },
  ARC_POINT_INVALID: {
    when: 'A declared point has an invalid name or definition.',
    fix: 'Use lower-case words joined by ":" as the name and a list of field names as modify.',
  },
  ARC_OPTION_UNKNOWN: {
    when: 'An option does not exist. Usually this is a typing error.',
    fix: 'Use the suggested name or remove the option.',
  },
  ARC_OPTION_INVALID: {
    when: 'An option has an invalid value, such as a priority that is not a finite number, an unknown mode or a negative limit.',
    fix: 'Use a value of the type that the message names.',
  },
  ARC_HANDLER_INVALID: {
    when: 'A handler is neither a function nor an object with a check function.',
    fix: 'Pass a function, or { name, check(step) { … } }.',
  },
  ARC_HOOK_DUPLICATE: {
    when: 'A hook is registered at a point that already has a hook of the same name.',
    fix: 'Choose another name, or pass replace: true to replace the existing hook.',
  },
  ARC_HOOK_UNKNOWN: {
    when: 'A hook that is not registered is enabled or disabled.',
    fix: 'Use the name of a registered hook.',
  },
  ARC_HOOK_LIMIT: {
    when: 'A point would have more hooks than maxHooksPerPoint allows.',
    fix: 'Remove hooks that you do not need, or raise maxHooksPerPoint.',
  },
  ARC_PATTERN_INVALID: {
    when: 'A matcher contains a glob or regular expression that is invalid or can never match.',
    fix: 'Correct the pattern at the position that the message shows.',
  },
  ARC_COMMAND_INVALID: {
    when: 'A command hook has no command, or has a placeholder at a position without a safe form.',
    fix: 'Use the variable ("$ARC_TOOL_NAME") instead, or use the placeholder as an ordinary word.',
  },
  ARC_URL_INVALID: {
    when: 'The address of an HTTP or prompt hook is not an http or https URL.',
    fix: 'Use a full address, such as http://127.0.0.1:8080/review.',
  },
  ARC_STORE_NEWER: {
    when: 'The database was written by a newer version of ARC. It is not changed.',
    fix: 'Update arc-supervisor, or set ARC_HOME to another folder.',
  },
  ARC_STORE_BUSY: {
    when: 'Another process locked the database for longer than the wait limit.',
    fix: 'Find the program that locks it, such as a backup or a database browser.',
  },
  ARC_STORE_UNAVAILABLE: {
    when: 'The database cannot be opened or written: missing permission, missing folder, full or read-only disk.',
    fix: 'Check that its folder exists and is writable.',
  },
  ARC_STORE_CHANGED: {
    when: 'Another program removed, replaced, cut or overwrote the files of the database while ARC used it.',
    fix: 'Run arc trace verify to see which records are left, and find the program that changed the files.',
  },
  ARC_ARCHIVE_FAILED: {
    when: 'The archive of the records that retention would remove cannot be written. No record is removed.',
    fix: 'Check that the folder in trace.archive exists, is writable and has free space.',
  },
  ARC_TRACE_BROKEN: {
    when: 'Retention would remove a record that was changed or is missing. No record from there on is removed, because it is evidence.',
    fix: 'See "arc trace verify". "arc trace cut --force" removes the records after you looked at them.',
  },
  ARC_SQLITE_MISSING: {
    when: 'No SQLite can be loaded: neither node:sqlite, nor libsql, nor better-sqlite3. The message gives the reason for each.',
    fix: 'Use Node 22.16 or newer, or install arc-supervisor again on this machine without --omit=optional.',
  },
  ARC_CONFIG_INVALID: {
    when: 'A setting cannot be changed because the file is invalid or would become invalid. Nothing was written.',
    fix: 'Correct the problem in the message. A key looks like hooks.risk-detection.timeout.',
  },
  ARC_CONFIG_UNWRITABLE: {
    when: 'A configuration file or its folder cannot be written: missing permission, full or read-only disk.',
    fix: 'Check the permissions, or set ARC_HOME to another folder.',
  },
  ARC_CONFIG_BUSY: {
    when: 'Another process holds the lock of a configuration file too long.',
    fix: 'Try again. If no arc command runs, delete the lock file.',
  },
  ARC_PROFILE_UNKNOWN: {
    when: 'A profile does not exist, or its name is invalid.',
    fix: 'Use a profile from "arc profile list".',
  },
  ARC_PROFILE_EXISTS: {
    when: 'A profile is created with an existing name.',
    fix: 'Choose another name, or change the existing profile with "arc profile set".',
  },
  ARC_PROFILE_IN_USE: {
    when: 'The active profile, or a profile that another profile extends, would be deleted.',
    fix: 'Select another profile with "arc profile use" first.',
  },
  ARC_SCRIPT_INVALID: {
    when: 'A script, or the step to try it with, is invalid.',
    fix: 'Correct the problem in the message. "arc script check" shows every error in a script.',
  },
  ARC_SUPERVISOR_CLOSED: {
    when: 'A step is sent to a closed supervisor.',
    fix: 'Close the supervisor last, or create a new one with createSupervisor.',
  },
  ARC_APPROVAL_UNKNOWN: {
    when: 'The answered step is not held.',
    fix: 'See the held steps with "arc approvals list".',
  },
  ARC_APPROVAL_OVER: {
    when: 'The answered step was answered already, has expired or was withdrawn.',
    fix: 'Let the agent try again. The step is then held again.',
  },
  ARC_APPROVAL_AMBIGUOUS: {
    when: 'Several steps wait for approval, and the command does not say which one it means.',
    fix: 'Give more of the id.',
  },
  ARC_APPROVALS_FULL: {
    when: 'Too many steps wait for approval.',
    fix: 'Answer the steps of "arc approvals list".',
  },
  ARC_STEP_UNKNOWN: {
    when: 'No step, or more than one, has the id.',
    fix: 'Use an id of "arc logs".',
  },
  ARC_ALLOW_REFUSED: {
    when: 'A step or rule cannot be allowed: tier 5, secrets, ARC itself, or a step that no rule stopped.',
    fix: 'See "arc why ID".',
  },
  ARC_RULE_UNKNOWN: {
    when: 'A rule does not exist.',
    fix: 'Use a rule that "arc why" or "arc check" prints.',
  },
  ARC_EXCEPTION_UNKNOWN: {
    when: 'An exception does not exist.',
    fix: 'See "arc allow list".',
  },
  ARC_NEEDS_PERSON: {
    when: 'An agent, or a process without a terminal, runs a command that needs a person.',
    fix: 'Run the command yourself in a terminal, or use the dashboard: arc open.',
  },
  ARC_DATA_INVALID: {
    when: 'A step is dispatched with data that is not an object.',
    fix: 'Pass the fields of the point as one object, for example { tool, args }.',
  },
  ARC_ID_TAKEN: {
    when: 'A step is sent to the daemon with an id that exists in the trace.',
    fix: 'Omit the id, or use another id.',
  },
  ARC_HOST_UNKNOWN: {
    when: 'A command names an agent without an adapter.',
    fix: 'Use a name from the message.',
  },
  ARC_INSTALL_FAILED: {
    when: "An agent's configuration could not be read or written, or changed while it was being edited.",
    fix: 'Run the command again. If it fails again, check the permissions of the file.',
  },
  ARC_DAEMON_FAILED: {
    when: 'The daemon could not be started: port in use, path too long for a socket, missing permission.',
    fix: 'Choose another port with --port, or find the cause with "arc status" and "arc doctor".',
  },
  ARC_NEEDS_ROOT: {
    when: 'A command that changes the machine runs without root.',
    fix: 'Run it with sudo.',
  },
  ARC_MANAGED: {
    when: 'On a managed machine this account may not use the command, or the daemon does not answer.',
    fix: 'Use sudo or an approver account. See "arc doctor".',
  },
  ARC_SETUP_FAILED: {
    when: 'Managed mode could not be set up or removed. Earlier steps were done.',
    fix: 'Correct the problem in the message and run the command again.',
  },
  ARC_SAMPLE_FAILED: {
    when: 'The sample session did not finish: git is missing, or its agent ended early.',
    fix: 'Install git, and read the output above the message.',
  },
  ARC_LAUNCH_INVALID: {
    when: 'A profile names no agent that can be launched, or its program is missing.',
    fix: 'Set the agent with "arc profile set tool claude", and install the program.',
  },
  ARC_TASK_UNKNOWN: {
    when: 'A task does not exist, or was deleted.',
    fix: 'See the tasks with "arc task list".',
  },
  ARC_TASK_TRANSITION: {
    when: 'The status of a task does not allow the transition, or another process changed the task first.',
    fix: 'See the status and history of the task with "arc task show ID".',
  },
  ARC_TASK_ACTOR: {
    when: 'An agent may not make this transition of a task.',
    fix: 'The assignee accepts, completes, fails and asks. The delegating agent answers and cancels.',
  },
  ARC_TASK_SELF: {
    when: 'An agent delegates a task to itself.',
    fix: 'Delegate the task to another agent.',
  },
  ARC_TASK_BLOCKED: {
    when: 'The pipeline blocked a task. Nothing was stored.',
    fix: 'Change the task as the reason says. "arc why last" shows the decision.',
  },
  ARC_TASK_HELD: {
    when: 'A task needs approval before it is delegated. Nothing was stored.',
    fix: 'Approve it ("arc approvals list"), then delegate it again without changes.',
  },
  ARC_ROUNDTABLE_UNKNOWN: {
    when: 'A roundtable does not exist, or was deleted.',
    fix: 'See the roundtables with "arc roundtable list".',
  },
  ARC_ROUNDTABLE_TAKEN: {
    when: 'A roundtable cannot be resumed or joined: it has ended, another process runs it, or no seat is free for the session.',
    fix: 'Read it with "arc roundtable show ID". To join, name a free seat with --as and the session with --session.',
  },
  ARC_ROUNDTABLE_INVALID: {
    when: 'A roundtable cannot start: too few agents, or an agent without a headless command.',
    fix: "Name profiles or known agents, or set a command that answers on stdout: --agent name='command'.",
  },
  ARC_BUS_INVALID: {
    when: 'A subject, pattern, listener or message is invalid, or the bus is closed.',
    fix: 'Use words separated by dots, * and > in patterns only, and plain JSON as data.',
  },
  ARC_BUS_NO_RESPONDER: {
    when: 'A request has no subscriber.',
    fix: 'Start the subscriber first.',
  },
  ARC_BUS_TIMEOUT: {
    when: 'A request was not answered in time.',
    fix: 'Use a longer timeoutMs, or check why the subscriber does not answer.',
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

/** Shows a received value in an error message: short, one line. Never throws. */
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

// The value may be huge, so only its start is read.
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

/** The longest stored reason or message. */
export const MAX_TEXT = 4_000

/** One line about a thrown value. Never throws. */
export function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return clip(`${thrown.name}: ${thrown.message}`, MAX_TEXT)
    return clip(String(thrown), MAX_TEXT)
  } catch {
    return 'something that cannot be shown'
  }
}

/** ` Did you mean "x"?` for the nearest known name, or an empty text. */
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

/** Throws if an options object has an unknown key. */
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

// Edit distance in which a swap of neighbours counts as one edit: the most common typing error.
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
