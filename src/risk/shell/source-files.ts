// The files that a text runs, read through the facts of the call. The characters of a file have positions after those of the
// analysed text, so that one number says in which file a finding is and where in it.

import type { Span } from '../assessment.ts'
import { type FileFacts, UNREAD_REASONS, type Unread } from '../facts.ts'

/** A file whose text is part of the analysis. */
export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The position of its first character. */
  readonly base: number
  /** Under version control, and unchanged since the session began: the project wrote it, not the agent. */
  readonly isProjects: boolean
  /** The span of the command that runs it, in the analysed text or in another file. */
  readonly calledAt: Span
  /** A project file, of which only a part runs. */
  readonly hasTargets: boolean
}

/** How a file is opened. */
interface Opening {
  readonly calledAt: Span
  readonly hasTargets: boolean
  /** The analysed text itself may have changed the file. */
  readonly isTouched: boolean
}

/** A file that would run and was not read. */
export interface UnreadFile {
  readonly path: string
  readonly reason: string
}

/** Distinct files of one analysis. */
const MAX_FILES = 20
/** Files that run each other. */
const MAX_LEVELS = 5

export class SourceFiles {
  readonly opened: SourceFile[] = []
  readonly unread = new Map<string, UnreadFile>()
  private readonly running: string[] = []
  private readonly facts: FileFacts
  private next: number

  /** `end` is the length of the analysed text. */
  constructor(facts: FileFacts, end: number) {
    this.facts = facts
    this.next = end + 1
  }

  /** The file; undefined if its text is not known. */
  open(path: string, { isTouched, calledAt, hasTargets }: Opening): SourceFile | undefined {
    const known = this.opened.find((file) => file.path === path)
    if (known !== undefined) return known
    if (this.opened.length >= MAX_FILES) return this.note(path, 'limit')
    if (isInstalled(path) && this.facts.isOwnEdit(path) !== true) return undefined
    const { text, why } = this.facts.read(path)
    if (why !== undefined) return why === 'missing' || why === 'outside' ? undefined : this.note(path, why)
    const file = { path, text, base: this.next, isProjects: !isTouched && this.isProjects(path), calledAt, hasTargets }
    this.next += text.length + 1
    this.opened.push(file)
    return file
  }

  /** Whether a file exists, for programs that search for their file. */
  has(path: string): boolean {
    return this.facts.exists(path) === true
  }

  /** Whether a file may run now: not inside itself, and not too deep. `part` is the target or script of a project file. */
  begin({ path }: SourceFile, part = ''): boolean {
    const key = `${path} ${part}`
    if (this.running.includes(key)) return false
    if (this.running.length >= MAX_LEVELS) {
      this.note(path, 'limit')
      return false
    }
    this.running.push(key)
    return true
  }

  end(): void {
    this.running.pop()
  }

  get isRunning(): boolean {
    return this.running.length > 0
  }

  /** The file that a position is in; undefined for the analysed text itself. */
  find(position: number): SourceFile | undefined {
    return this.opened.findLast(({ base, text }) => position >= base && position <= base + text.length)
  }

  /** The span in the analysed text of the command that led to a position. */
  findCaller(span: Span): Span {
    let found = span
    for (let level = 0; level <= MAX_LEVELS; level++) {
      const file = this.find(found.start)
      if (file === undefined) return found
      found = file.calledAt
    }
    return found
  }

  private isProjects(path: string): boolean {
    return (
      this.facts.isTracked(path) === true &&
      this.facts.isClean(path) === true &&
      this.facts.changedInSession(path) === false
    )
  }

  private note(path: string, why: Unread): undefined {
    this.unread.set(path, { path, reason: UNREAD_REASONS[why] })
    return undefined
  }
}

// Programs that a package manager installed are not the agent's text, unless the agent wrote them.
const INSTALLED =
  /\/(?:node_modules|site-packages|dist-packages|\.venv|venv|\.tox|\.nox|vendor\/bundle|\.cargo|\.rustup)\//

function isInstalled(path: string): boolean {
  return INSTALLED.test(path)
}

/** The line of a position, from 1. */
export function findLine({ text, base }: SourceFile, position: number): number {
  let line = 1
  const end = Math.min(position - base, text.length)
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) line++
  return line
}
