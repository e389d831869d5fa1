// The interpreter as the rest of this folder sees it. Types only: expansions, commands and programs call the
// interpreter through these interfaces and never import it.

import type {
  CommandExpansionPart,
  CompoundList,
  Coproc,
  Function as FunctionNode,
  ParsedScript,
  PipelineNode,
  ProcessSubstitutionPart,
  Word as WordNode,
  WordPart,
} from 'unbash'
import type { Span } from '../assessment.ts'
import type { Analysis } from './analysis.ts'
import type { ShellCommand, Snippet, Word } from './execution.ts'
import type { Field, Frame, Output } from './frame.ts'
import type { Code, ShellInvocation } from './invocation.ts'
import type { Scope, Value } from './scope.ts'

/** Runs one call of a program. The name has no folder. */
export type Program = (shell: ProgramPort, call: ShellInvocation, name: string) => Output

/** The part of the interpreter that programs use. */
export interface ProgramPort {
  /** Adds a command to the commands that would run. */
  emit(call: ShellInvocation, extra?: Partial<ShellCommand>): ShellCommand
  /** Adds code of another language to the code that would run. */
  addSnippet(snippet: Snippet): void
  /** Runs a command whose words are expanded: a function, a program of the table, or any other program. */
  runCall(call: ShellInvocation): Output
  /** Runs a script that a program got as a word or as input. */
  runCode(call: ShellInvocation, code: Code, via: string, scope: Scope, change?: Partial<Frame>): Output
  /**
   * The text of a file on disk, by its path in the working folder; undefined if it may not or cannot be read.
   * `hasTargets`: a project file, of which only a part runs.
   */
  openFile(call: ShellInvocation, path: string, hasTargets?: boolean): Code | undefined
  /** Whether there is such a file; false where no file may be read. */
  hasFile(call: ShellInvocation, path: string): boolean
  /** Runs the code of a file that is open, or a part of it; undefined for a file or part that runs itself. */
  runFile<T>(code: Code, run: () => T, part?: string): T | undefined
  /** Notes that a program runs a script of which nothing is known. */
  noteDynamicScript(call: ShellInvocation, code: Code): void
  /** Sets a variable of the shell, and notes that the text sets it. */
  setVariable(name: string, value: Value, span: Span, scope: Scope): void
  /** Notes a variable that the text sets for a program. */
  noteAssigned(name: string, word: Word): void
  /** Counts steps. Returns false when the limit is reached. */
  spend(steps: number, span: Span): boolean
}

/** A command or process substitution, also inside arithmetic. */
export type Substitution = Pick<CommandExpansionPart | ProcessSubstitutionPart, 'text' | 'pos' | 'end'> & {
  readonly type: string
  readonly operator?: string
  readonly script: ParsedScript | undefined
}

/** The interpreter as the modules for syntax use it. */
export interface InterpreterPort extends ProgramPort {
  readonly analysis: Analysis
  runScript(text: string, frame: Frame, scope: Scope): Output
  runNode(node: PipelineNode, frame: Frame, scope: Scope): Output
  runList(list: CompoundList, frame: Frame, scope: Scope): Output
  /** Runs the body of a function or coprocess. */
  runBody(body: FunctionNode['body'] | Coproc['body'], frame: Frame, scope: Scope): Output
  /** The value of `$( )`, backquotes or `<( )`: the printed text, and the commands that print it. */
  substitute(part: Substitution, frame: Frame, scope: Scope): Value
  /** A word as one text, without splitting: the value of a variable, the target of a redirect, a here-string. */
  expandText(word: WordNode, frame: Frame, scope: Scope): Field
  /** Parts of a word or a heredoc as one text. */
  joinParts(parts: readonly WordPart[], frame: Frame, scope: Scope, span: Span): Field
}
