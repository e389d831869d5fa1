// The result of the analysis: the commands that a shell text would run, as far as they can be known without running it.
// The interpreter produces it; the rules read it.

import type { Span } from '../assessment.ts'
import type { FileFacts } from '../facts.ts'
import type { SourceFiles } from './source-files.ts'

/** One word of a command after expansion. */
export interface Word {
  /** The text. Unknown parts are as written (`$x`). */
  readonly text: string
  /** Whether the whole text is certain. */
  readonly isKnown: boolean
  /** Whether it contains an unquoted pattern that the shell would expand. */
  readonly isGlob: boolean
  /** The commands whose output is in it. */
  readonly from?: readonly ShellCommand[] | undefined
  /** In the analysed text. For words of nested scripts: the outermost word they come from. */
  readonly span: Span
}

/** A redirection of a command: `> file`, `2>> file`, `< file`. */
export interface Redirect {
  readonly operator: string
  readonly target: Word
}

/** The standard input of a command, when it is not the terminal. */
export interface Input {
  /** The commands before it in its pipe, nearest first; at most the nearest 32. */
  readonly from: readonly ShellCommand[]
  /** The text, when it is certain: a heredoc, a here-string, an echo piped in. */
  readonly text?: string | undefined
}

/** Where a command runs. */
export type CommandLocation = 'local' | 'container' | 'remote'

// How programs that run other programs appear:
// - pure prefixes (sudo, env, nice, timeout, command …) are not commands: the inner command has them in `via`.
//   Without an inner command (`sudo -l`, `command -v git`, `env`) they are commands.
// - shells, xargs, find, ssh, docker and interpreters are commands, followed by the commands they run.
// - `> file` alone is the command `:` with that redirect, as in the shell.
// - a variable is replaced by its value, with unknown parts as written in the assignment:
//   after `d=$(mktemp -d)/x` the word `$d` has the text `$(mktemp -d)/x` and isKnown false.
// - `${x:-default}` of a variable that the text does not set is the default, because it may run.

/** One simple command that would run. */
export interface ShellCommand {
  /** The program without its folder (`rm` for `/bin/rm` and `\rm`); undefined when it is unknown. */
  readonly name: string | undefined
  /** The program as written, when it has a folder. */
  readonly path?: string | undefined
  /** Everything after the name. */
  readonly args: readonly Word[]
  readonly span: Span
  readonly redirects: readonly Redirect[]
  readonly input?: Input | undefined
  /** The working folder; undefined when it is unknown. */
  readonly cwd: string | undefined
  /** The wrappers that run it, outermost first: `sudo`, `xargs`, `find -exec`, `bash -c`, `$( )`. */
  readonly via: readonly string[]
  readonly location: CommandLocation
  /** Its environment: `KEY=value command`, `env KEY=value`, and earlier exports. */
  readonly env: ReadonlyMap<string, Word>
  /** It does not run: it is in a function that the text never calls. */
  readonly isDormant?: boolean
  /**
   * The commands whose output it runs as code: `curl … | sh`, `bash <(…)`, `eval "$(…)"`,
   * `curl -o x.sh …; sh x.sh`. There is an Unknown (dynamic-script) as well unless the output is certain.
   */
  readonly runsOutputOf?: readonly ShellCommand[]
  /** It runs in the background: `command &`, alone or in a group. */
  readonly isBackground?: boolean
  /** It is in an endless loop: `while true`, `until false`, `for ((;;))`. */
  readonly isEndless?: boolean
  /** It is a recursive call of a function, which is not interpreted again. */
  readonly isRecursive?: boolean
}

/** Code of another language that would run: `python -c`, a heredoc into node, awk with system(). */
export interface Snippet {
  readonly language: 'python' | 'javascript' | 'perl' | 'ruby' | 'php' | 'awk' | 'sql' | 'other'
  readonly code: string
  readonly span: Span
  readonly via: readonly string[]
  readonly location: CommandLocation
  readonly cwd: string | undefined
  /** It is the text of a file. */
  readonly isFile?: boolean | undefined
}

/** A part that could not be understood. */
export interface Unknown {
  readonly why: 'syntax' | 'too-deep' | 'too-long' | 'dynamic-command' | 'dynamic-script'
  readonly span: Span
  /** Its text, clipped. */
  readonly text: string
  /** For a dynamic script: the commands that print it, when the text contains them. */
  readonly from?: readonly ShellCommand[]
}

/** Everything that a text would run. */
export interface Execution {
  readonly commands: readonly ShellCommand[]
  readonly snippets: readonly Snippet[]
  readonly unknown: readonly Unknown[]
  /** Variables that the text sets or exports. */
  readonly assigned: ReadonlyMap<string, Word>
  /** The files that it runs. A position after the text is in one of them. */
  readonly sources?: SourceFiles | undefined
}

/** The folders that a text runs with. */
export interface ShellContext {
  readonly cwd: string
  /** The user's home folder, for `~`. */
  readonly home: string
  /** Reads the files that the text runs; without it, they are unknown. */
  readonly files?: FileFacts | undefined
  /** The arguments of the text, for `$1` and `$@`; unknown if they are not given. */
  readonly positional?: readonly Word[] | undefined
}
