// What a piece of shell text would really run, as far as that can be known without running it.
// The walk in this folder produces it; the rules read it.

import type { Span } from '../assessment.ts'

/** One word of a command after expansion. */
export interface Word {
  /** The text; what is not known in it stands as written (`$x`). */
  readonly text: string
  /** Whether the whole text is certain. */
  readonly isKnown: boolean
  /** Whether it holds an unquoted pattern that the shell would expand. */
  readonly isGlob: boolean
  /** The commands whose output is in it. */
  readonly from?: readonly ShellCommand[] | undefined
  /** In the text that was analysed, also for words of nested scripts: the outermost place they come from. */
  readonly span: Span
}

/** A redirection of a command: `> file`, `2>> file`, `< file`. */
export interface Redirect {
  readonly operator: string
  readonly target: Word
}

/** What stands on a command's standard input, when it is more than the terminal. */
export interface Input {
  /** The commands before it in its pipe, nearest first; at most the nearest 32. */
  readonly from: readonly ShellCommand[]
  /** The text, when it is certain: a heredoc, a here-string, an echo piped in. */
  readonly text?: string | undefined
}

/** Where a command runs when that is not simply here. */
export type CommandLocation = 'local' | 'container' | 'remote'

// How programs that run other programs appear:
// - pure prefixes (sudo, env, nice, timeout, command …) are not commands of their own: the inner one has them in `via`.
//   Without an inner command (`sudo -l`, `command -v git`, `env`) they stand for themselves.
// - shells, xargs, find, ssh, docker, interpreters and the like are commands, followed by what they run.
// - `> file` on its own is the command `:` with that redirect, which is what the shell makes of it.
// - a value that a variable got earlier stands in its place, its unknown parts as they were written there:
//   after `d=$(mktemp -d)/x` the word `$d` has the text `$(mktemp -d)/x` and isKnown false.
// - `${x:-default}` of a variable the text does not set is the default: what might run counts.

/** One simple command that would run. */
export interface ShellCommand {
  /** The program without its folder (`rm` for `/bin/rm` and `\rm`); undefined when it cannot be known. */
  readonly name: string | undefined
  /** The program as it is written, when it is written with a folder. */
  readonly path?: string | undefined
  /** Everything after the name. */
  readonly args: readonly Word[]
  readonly span: Span
  readonly redirects: readonly Redirect[]
  readonly input?: Input | undefined
  /** The folder it runs in; undefined when that cannot be known. */
  readonly cwd: string | undefined
  /** How it comes to run, outermost first: `sudo`, `xargs`, `find -exec`, `bash -c`, `$( )`. */
  readonly via: readonly string[]
  readonly location: CommandLocation
  /** Variables set for it: `KEY=value command`, `env KEY=value`, and exports before it. */
  readonly env: ReadonlyMap<string, Word>
  /** It would not really be done: it stands in a function that nobody calls. */
  readonly isDormant?: boolean
  /**
   * The commands whose output it runs as code, however that reaches it: `curl … | sh`, `bash <(…)`, `eval "$(…)"`,
   * `curl -o x.sh …; sh x.sh`. There is an Unknown (dynamic-script) as well unless the output is certain.
   */
  readonly runsOutputOf?: readonly ShellCommand[]
  /** It is left running: `command &`, alone or within a group. */
  readonly isBackground?: boolean
  /** It stands in a loop that has no end of its own: `while true`, `until false`, `for ((;;))`. */
  readonly isEndless?: boolean
  /** It is a function of the text calling itself, which is not followed any further. */
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
}

/** A part that could not be understood. */
export interface Unknown {
  readonly why: 'syntax' | 'too-deep' | 'too-long' | 'dynamic-command' | 'dynamic-script'
  readonly span: Span
  /** What could be seen of it. */
  readonly text: string
  /** For a dynamic script: the commands whose output it is, when they stand in the text. */
  readonly from?: readonly ShellCommand[]
}

/** All that a text would run. */
export interface Execution {
  readonly commands: readonly ShellCommand[]
  readonly snippets: readonly Snippet[]
  readonly unknown: readonly Unknown[]
  /** Variables that the text sets for itself or exports, kill switches among them. */
  readonly assigned: ReadonlyMap<string, Word>
}

/** Where a text would run. */
export interface ShellContext {
  readonly cwd: string
  /** The user's home folder, for `~`. */
  readonly home: string
}
