// Environment variables and options that start an agent or ARC without the supervising settings.

import { AGENT_FACTS } from '../../hosts/facts/list.ts'
import type { Call } from '../call.ts'
import { lastPart } from '../path-class.ts'
import type { Hit, TestResult } from '../rule.ts'
import type { Execution, ShellCommand, Word } from '../shell/execution.ts'
import { CONFIG_VARIABLES } from './host-config-paths.ts'

// Agents without an adapter.
const OTHER_AGENTS = ['amp', 'aider', 'goose']

const AGENT_NAMES: ReadonlySet<string> = new Set([
  ...AGENT_FACTS.flatMap(({ programs, aliases }) => [...programs, ...aliases]),
  ...OTHER_AGENTS,
])

/** Agent programs and their packages, with and without a version. */
export const AGENT_PROGRAMS = [...AGENT_NAMES].flatMap((name) => [name, `${name}@*`]).join(' ')

function isAgent({ name }: ShellCommand): boolean {
  return name !== undefined && AGENT_NAMES.has(withoutVersion(name))
}

// `npx codex@latest`.
function withoutVersion(name: string): string {
  return name.split('@')[0] ?? name
}

/** Variables that point an agent or ARC to other settings. */
const REDIRECTING_VARIABLES = new Set([
  ...CONFIG_VARIABLES,
  ...AGENT_FACTS.flatMap(({ variables }) => variables.settingsText ?? []),
  'HOME',
  'ARC_PROFILE',
  'ARC_DAEMON',
  'XDG_CONFIG_DIRS',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'USERPROFILE',
  'PATH',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
  'DYLD_LIBRARY_PATH',
  'NODE_PATH',
  'BASH_ENV',
  'SHELL',
])

/** Variables of agents that disable hooks, plugins or approvals, or name other settings. */
const PREFIXES = [
  ...AGENT_FACTS.map(({ variables }) => variables.prefix),
  ...OTHER_AGENTS.map((name) => name.toUpperCase()),
]
const SWITCHES = new RegExp(
  `^(?:${PREFIXES.join('|')})_(?:\\w+_)?(?:SIMPLE|BARE|PURE|SAFE_?MODE|\\w*HOOKS?|\\w*PLUGINS?|\\w*EXTENSIONS?|YOLO|BYPASS\\w*|\\w*DANGEROUS\\w*|PERMISSIONS?\\w*|SHELL\\w*|SETTINGS\\w*|CONFIG\\w*|MANAGED\\w*|POLICY\\w*)$`,
)

/** Programs that start others in another root, namespace or container. Their arguments are not parsed. */
const ISOLATORS = new Set(
  (
    'proot firejail systemd-run systemd-nspawn machinectl schroot fakechroot lxc lxc-attach lxc-execute distrobox toolbox ' +
    'flatpak runc crun ctr nsjail minijail0 apptainer singularity udocker chroot unshare bwrap nsenter arch-chroot'
  ).split(' '),
)

/** Variables that only ARC reads: they count without an agent in the text. */
const ARC_VARIABLES = new Set(['ARC_HOME', 'ARC_DAEMON'])

/** Whether the text starts an agent with a changed environment, or changes ARC's environment. */
export function changesEnvironment({ commands, assigned }: Execution): TestResult {
  const hasAgent = (assigned.size > 0 || commands.length > 1) && commands.some(isAgent)
  const unset = hasAgent ? findUnset(commands) : undefined
  if (unset !== undefined) return makeVariableHit(unset, unset.text)
  for (const [name, word] of assigned) {
    if (changesArc(name, word) || (hasAgent && redirectsSettings(name, word))) return makeVariableHit(word, name)
  }
  for (const command of commands) {
    const hit = command.isDormant === true ? undefined : (isolatesAgent(command) ?? checkCommandEnvironment(command))
    if (hit !== undefined) return hit
  }
  return undefined
}

function findUnset(commands: readonly ShellCommand[]): Word | undefined {
  const unset = commands.find(({ name }) => name === 'unset')
  return unset?.args.find(({ text }) => REDIRECTING_VARIABLES.has(text))
}

function changesArc(name: string, word: Word): boolean {
  return ARC_VARIABLES.has(name) && !isDefaultValue(name, word)
}

function checkCommandEnvironment(command: ShellCommand): Hit | undefined {
  const { env, via, span } = command
  if (env.size === 0 && via.length === 0) return undefined
  for (const [name, word] of env) {
    if (changesArc(name, word)) return makeVariableHit(word, name)
    if (redirectsSettings(name, word) && isAgent(command)) return makeVariableHit(word, name)
  }
  if (!isAgent(command)) return undefined
  if (command.location === 'container') return makeIsolationHit(span, via.at(-1) ?? 'a container')
  const changed = via.find(
    (step) =>
      /^env -(?:i|u)/.test(step) ||
      /^(?:sudo|su|doas|runuser|su-exec|gosu)\b/.test(step) ||
      ISOLATORS.has(step.split(' ')[0] ?? ''),
  )
  return changed === undefined ? undefined : makeIsolationHit(span, changed)
}

function makeIsolationHit(at: Hit['at'], through: string): Hit {
  return {
    at,
    isUncertain: true,
    reason: `Starts an agent through ${through}, where it may be unsupervised.`,
  }
}

// `proot -r /x claude`: the program is among the arguments.
function isolatesAgent({ name = '', args, span }: ShellCommand): Hit | undefined {
  if (!ISOLATORS.has(name)) return undefined
  return args.some(({ text }) => AGENT_NAMES.has(lastPart(text.slice(text.indexOf('=') + 1))))
    ? makeIsolationHit(span, name)
    : undefined
}

// Most options of Node are harmless; those that load code are not.
function redirectsSettings(name: string, { text }: Word): boolean {
  if (SWITCHES.test(name)) return !['', '0', 'false', 'off', 'no'].includes(text.toLowerCase())
  return (
    REDIRECTING_VARIABLES.has(name) &&
    (name !== 'NODE_OPTIONS' || /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)/.test(text))
  )
}

// `ARC_DAEMON=on` is the default.
function isDefaultValue(name: string, { text }: Word): boolean {
  return name === 'ARC_DAEMON' && ['', 'on', 'ask'].includes(text)
}

function makeVariableHit({ span }: Word, name: string): Hit {
  return {
    at: span,
    ...(name === 'PATH' ? { isUncertain: true } : {}),
    reason: `Sets ${name}: ARC or an agent would use settings that may disable the supervision.`,
  }
}

const LOOSENING_OPTIONS = new Set([
  '--dangerously-skip-permissions',
  '--allow-dangerously-skip-permissions',
  '--dangerously-bypass-approvals-and-sandbox',
  '--dangerously-bypass-hook-trust',
  '--yolo',
  '--allow-all-tools',
  '--allow-all',
  '--full-auto',
  '--force-allow',
  '--yes-always',
  '--bare',
  '--safe-mode',
  '--pure',
  '--no-hooks',
  '--skip-hooks',
  '--disable-hooks',
  '--no-plugins',
  '--no-extensions',
  '--settings',
  '--setting-sources',
  '--managed-settings',
  '--config-dir',
  '--ignore-user-config',
  '--ignore-rules',
])

const HOOK_SETTINGS =
  /^["']?(?:hooks\b|features\.(?:codex_)?hooks|features\.plugin|disableAllHooks|tools\.enableHooks|approval_policy\s*=\s*["']?never)/

/** Options that loosen only with some values or for some agents. */
const LOOSENING_VALUES: readonly {
  readonly options: readonly string[]
  readonly agents?: ReadonlySet<string>
  readonly value?: RegExp
}[] = [
  ...AGENT_FACTS.map(({ programs, aliases, looseningOptions = [] }) => ({
    options: looseningOptions,
    agents: new Set([...programs, ...aliases]),
  })),
  { options: ['--approval-mode'], value: /^yolo$/ },
  { options: ['--permission-mode'], value: /^bypassPermissions$/ },
  { options: ['--disable', '--disable-feature'], value: /hooks/ },
  { options: ['-c', '--config'], value: HOOK_SETTINGS },
]

/** The option that starts an agent without hooks, without approvals or with other settings. */
export function loosensAgent(call: Call): TestResult {
  const { args } = call.command
  return args.find((word, index) => {
    const [name = '', attached] = word.text.split(/=(.*)/s)
    const value = attached ?? args[index + 1]?.text ?? ''
    if (LOOSENING_OPTIONS.has(name) || name.endsWith('disable-hooks')) return true
    if (word.text.startsWith('-c') && HOOK_SETTINGS.test(word.text.slice(2))) return true
    return LOOSENING_VALUES.some(
      ({ options, agents = AGENT_NAMES, value: values = /^/ }) =>
        options.includes(name) && agents.has(withoutVersion(call.name)) && values.test(value),
    )
  })
}
