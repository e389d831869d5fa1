// Environments and options that start an agent, or ARC, with other settings than those that supervise it.

import type { Call } from '../call.ts'
import type { Hit, TestResult } from '../rule.ts'
import type { Execution, ShellCommand, Word } from '../shell/execution.ts'
import { PLACE_VARIABLES } from './host-places.ts'

/** Programs that are agents, also as packages. */
export const AGENTS =
  'claude codex gemini qwen opencode copilot cursor-agent cline amp aider goose claude-code claude-code@* codex@* ' +
  'gemini-cli gemini-cli@* qwen-code qwen-code@* opencode-ai opencode-ai@* cursor'

const AGENT_NAMES = new Set(AGENTS.split(' ').map((name) => name.replace('@*', '')))

function isAgent({ name }: ShellCommand): boolean {
  return name !== undefined && AGENT_NAMES.has(name.split('@')[0] ?? name)
}

/** Variables that lead an agent, or ARC, to other settings or another user's. */
const LEADING = new Set([
  ...PLACE_VARIABLES,
  'HOME',
  'ARC_PROFILE',
  'ARC_DAEMON',
  'XDG_CONFIG_DIRS',
  'OPENCODE_CONFIG_CONTENT',
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'USERPROFILE',
])

/** Variables that need no agent beside them: nothing but the supervision reads them. */
const OWN = new Set(['ARC_HOME', 'ARC_DAEMON'])

/** Does the text start an agent with a changed environment, or change the one of ARC? */
export function changesEnvironment({ commands, assigned }: Execution): TestResult {
  const hasAgent = (assigned.size > 0 || commands.length > 1) && commands.some(isAgent)
  const unset = hasAgent
    ? commands.find(({ name }) => name === 'unset')?.args.find(({ text }) => LEADING.has(text))
    : undefined
  if (unset !== undefined) return hitOn(unset, unset.text)
  for (const [name, word] of assigned) {
    if ((OWN.has(name) && !isReset(name, word)) || (hasAgent && leads(name, word))) return hitOn(word, name)
  }
  for (const command of commands) {
    if (command.isDormant === true || (command.env.size === 0 && command.via.length === 0)) continue
    const hit = changedFor(command)
    if (hit !== undefined) return hit
  }
  return undefined
}

function changedFor(command: ShellCommand): Hit | undefined {
  const { env, via, span } = command
  for (const [name, word] of env) {
    if (OWN.has(name) && !isReset(name, word)) return hitOn(word, name)
    if (leads(name, word) && isAgent(command)) return hitOn(word, name)
  }
  if (!isAgent(command)) return undefined
  const changed = via.find(
    (step) => /^env -(?:i|u)/.test(step) || /^(?:sudo|su|doas|runuser|su-exec|gosu)\b/.test(step),
  )
  if (changed === undefined) return undefined
  return {
    at: span,
    isUncertain: true,
    reason: `It starts an agent through ${changed}, with settings that may not supervise it.`,
  }
}

// Most options of Node are harmless; those that load code are not.
function leads(name: string, { text }: Word): boolean {
  return (
    LEADING.has(name) &&
    (name !== 'NODE_OPTIONS' || /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader)/.test(text))
  )
}

// `ARC_DAEMON=on` asks for what is there anyway.
function isReset(name: string, { text }: Word): boolean {
  return name === 'ARC_DAEMON' && ['', 'on', 'ask'].includes(text)
}

function hitOn({ span }: Word, name: string): Hit {
  return {
    at: span,
    reason: `It sets ${name}, so that ARC or an agent uses other settings than those that supervise it.`,
  }
}

const LOOSENING = new Set([
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

/** The option that starts an agent without hooks, without questions or with other settings. */
export function loosensAgent(call: Call): TestResult {
  const { args } = call.command
  for (const [index, word] of args.entries()) {
    const [name = '', attached] = word.text.split(/=(.*)/s)
    const value = attached ?? args[index + 1]?.text ?? ''
    if (LOOSENING.has(name) || name.endsWith('disable-hooks')) return word
    if (name === '-y' && (call.name.startsWith('gemini') || call.name.startsWith('qwen'))) return word
    if ((name === '--force' || name === '-f') && call.name === 'cursor-agent') return word
    if (name === '--approval-mode' && value === 'yolo') return word
    if (name === '--permission-mode' && value === 'bypassPermissions') return word
    if ((name === '--disable' || name === '--disable-feature') && /hooks/.test(value)) return word
    if ((name === '-c' || name === '--config') && CONFIG_OF_HOOKS.test(value)) return word
    if (word.text.startsWith('-c') && CONFIG_OF_HOOKS.test(word.text.slice(2))) return word
  }
  return undefined
}

const CONFIG_OF_HOOKS =
  /^["']?(?:hooks\b|features\.(?:codex_)?hooks|features\.plugin|disableAllHooks|tools\.enableHooks|approval_policy\s*=\s*["']?never)/
