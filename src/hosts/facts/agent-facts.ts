// What lower layers know of an agent: its programs, settings, variables and tool names. Plain data in `facts.ts` of the
// agent's folder, so that engine, risk and guard need not load the adapter. Imports nothing.

/** The facts of one agent. */
export interface AgentFacts<Name extends string = string> {
  /** The name on the command line: `arc hook claude`. */
  readonly name: Name
  /** The file names of its program. */
  readonly programs: readonly string[]
  /** Other names in a command line that starts it: packages, a desktop application. */
  readonly aliases: readonly string[]
  /** Parts of the path of its installed package, between slashes. */
  readonly packagePaths: readonly string[]
  readonly variables: AgentVariables
  readonly settings: AgentSettings
  /** Options that switch its approvals off, beside those that several agents have. */
  readonly looseningOptions?: readonly string[]
  /** How its command line shows that it asks no person: a headless run, or a mode that bypasses permissions. */
  readonly unattended?: UnattendedRun
  /** The command line of its hook names the event, because the payload does not. */
  readonly isEventInLine?: true
  /** Any exit code of a hook but 0 stops the action. */
  readonly stopsAtAnyFailure?: true
  /** The setting of `arc install --fail-closed`; undefined without one. */
  readonly failClosed?: string
}

/** The words of a command line with which an agent asks no person. */
export interface UnattendedRun {
  /** `--option`, or `--option=value`, which also matches the value as the next word. */
  readonly options?: readonly string[]
  /** The first word after the program. */
  readonly commands?: readonly string[]
  /** With one of these options another program asks the person. */
  readonly unless?: readonly string[]
}

/** The environment variables of an agent. */
interface AgentVariables {
  /** The first word of its variables: `CODEX` for `CODEX_HOME`. */
  readonly prefix: string
  /** Set by the agent for its child processes, with any value. */
  readonly markers: readonly string[]
  /** With the id of the session, as in the payloads of its hooks. */
  readonly session?: string
  /** With the path of a settings file. */
  readonly settingsFiles?: readonly string[]
  /** With settings as text. */
  readonly settingsText?: readonly string[]
}

/** The files with the hooks of an agent. */
interface AgentSettings {
  /** Folders of a user. */
  readonly folders: readonly SettingsFolder[]
  /** Files in the home folder. */
  readonly homeFiles?: readonly string[]
  /** Files and folders of a project, by the end of their path. Those of `folders` count there too. */
  readonly projectFiles?: readonly string[]
  /** Folders of a user or project that contain little but settings: they are not deleted. */
  readonly ownFolders?: readonly string[]
  /** Files in the home folder with tokens of the user's account. */
  readonly credentials?: readonly string[]
  /** The system-wide file of `arc setup --managed`, below the root folder. */
  readonly systemFile?: string
  /** System-wide folders, which override the settings of a user. */
  readonly machineFolders?: readonly string[]
}

/** A folder with settings. */
export interface SettingsFolder {
  /** Below the user's home folder. */
  readonly folder: string
  /** A variable that names this folder instead. */
  readonly variable?: string
  /** A variable that names the parent folder instead. */
  readonly parentVariable?: string
  /** Files and folders in it that configure hooks; an empty name for the whole folder. */
  readonly names: readonly string[]
}

/** An agent's own names for tools, in lower case. */
export type ToolNames = Partial<Readonly<Record<ToolKind, readonly string[]>>>

/** A tool that several agents have under their own names. */
export type ToolKind =
  | 'shell'
  | 'edit'
  | 'multi-edit'
  | 'write'
  | 'patch'
  | 'notebook'
  | 'delete'
  | 'read'
  | 'search-text'
  | 'find-files'
  | 'list-files'
  | 'fetch'
  | 'search-web'
  | 'spawn'
  | 'message'
