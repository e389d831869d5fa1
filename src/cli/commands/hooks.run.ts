// `arc hooks`: lists the pipeline, shows which hooks match a step, and disables or enables hooks.

import { formatProblem } from '../../config/problem.ts'
import { didYouMean, show } from '../../engine/errors.ts'
import { BUILT_IN_POINTS } from '../../engine/point-names.ts'
import type { PipelineHook } from '../../hooks/live-pipeline.ts'
import { recordEvent } from '../../hooks/pipeline-services.ts'
import { snooze, unsnooze } from '../../hooks/snoozes.ts'
import { openStores } from '../../storage/open-stores.ts'
import { type DryRun, openDryRun } from '../../supervisor/dry-run.ts'
import colors from '../colors.ts'
import { confirm } from '../confirm.ts'
import { context } from '../context.ts'
import { findReachNotes, type InstalledHosts, installedHosts, readReach } from '../hook-reach.ts'
import {
  alignColumns,
  formatSpan,
  fromNow,
  info,
  oneLine,
  print,
  printJson,
  readSpan,
  report,
  shortPath,
} from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists every hook of the pipeline. */
export async function listHooks({ json }: JsonOption): Promise<number> {
  return withPreview(({ preview, home }) => {
    const hooks = preview.hooks()
    if (json === true) printJson(hooks.map(listedJson(installedHosts())))
    else printHooks(hooks, preview, home)
    return 0
  })
}

/** The options of `arc hooks match`. */
export interface MatchOptions extends JsonOption {
  readonly tool?: string
  readonly path?: string
  readonly command?: string
  readonly agent?: string
  readonly source?: string
  readonly host?: string
}

/** Shows which hooks would run on a step. */
export async function matchHooks(point: string, options: MatchOptions): Promise<number> {
  return withPreview(({ preview, home }) => {
    const { name, tool: named } = BUILT_IN_POINTS.resolve(point)
    const { tool = named, path, command, agent, source, host } = options
    const args = { ...(path && { file_path: path }), ...(command && { command }) }
    const data = { ...(tool && { tool }), args, ...(path && { path }) }
    const names = preview.match(name, { data, agent, source, host, workspace: context().cwd })
    const all = preview.hooks().filter(({ points }) => points.includes(name))
    const found = all.filter((hook) => names.includes(hook.name))
    if (options.json === true) {
      printJson(found.map(listedJson(installedHosts())))
      return 0
    }
    if (found.length === 0) info(`No hook would run at ${name}${tool === undefined ? '' : ` for ${tool}`}.`)
    else printTable(found, home)
    const others = all.filter((hook) => !names.includes(hook.name))
    if (others.length > 0) info(colors.dim(`Do not match: ${others.map((hook) => hook.name).join(', ')}.`))
    return 0
  })
}

/** Disables a hook, for a time or until it is enabled again. */
export async function disableHook(
  name: string,
  options: JsonOption & { readonly for?: string; readonly reason?: string },
): Promise<number> {
  const forMs = options.for === undefined ? undefined : readSpan(options.for)
  if (options.for !== undefined && (forMs === undefined || forMs === 0)) {
    info(`arc: --for must be like 90s, 30m, 2h or 7d, not ${show(options.for)}`)
    return 2
  }
  const known = withPreview(({ preview }) => (isKnown(preview.hooks(), name) ? 0 : 1))
  if (known !== 0) return known
  const { reason } = options
  const span = forMs === undefined ? 'until arc hooks enable' : `for ${formatSpan(forMs)}`
  const showChange = (): void => info(`${colors.bold(name)} will be disabled ${span}.`)
  const confirmed = await confirm('disable a hook', { show: showChange, question: `Disable ${name}?` })
  if (confirmed === undefined) return 1
  return change(name, options, (stores, now) => {
    const until = forMs === undefined ? undefined : now + forMs
    snooze(stores.state, { hook: name, since: now, until, reason })
    const message = `disabled ${span}${reason === undefined ? '' : `: ${reason}`}`
    const end = until !== undefined && { until: new Date(until).toISOString() }
    const data = { hook: name, ...end, ...confirmed }
    const action = forMs === undefined ? 'hook:disable' : 'hook:snooze'
    recordEvent(stores.trace, { component: 'hooks', action, level: 'warn', message, data }, { time: now })
    info(`${colors.yellow('!')} ${colors.bold(name)} is ${message}. Skipped steps: arc logs --action hook:skip`)
    return 0
  })
}

/** Enables a hook. */
export async function enableHook(name: string, options: JsonOption): Promise<number> {
  return change(name, options, (stores, now, before) => {
    const wasOff = unsnooze(stores.state, name)
    if (wasOff) {
      const event = { component: 'hooks', action: 'hook:enable', level: 'info', message: 'enabled' } as const
      recordEvent(stores.trace, { ...event, data: { hook: name } }, { time: now })
    }
    const isConfigured = before?.enabled === false && !wasOff
    if (isConfigured)
      info(`arc: ${name} is disabled in the configuration; to enable it: arc profile set hooks.${name}.enabled true`)
    else info(`${colors.green('✓')} ${colors.bold(name)} ${wasOff ? 'is enabled' : 'was already enabled'}.`)
    return isConfigured ? 1 : 0
  })
}

type Change = (stores: ReturnType<typeof openStores>, now: number, before: PipelineHook | undefined) => number

async function change(name: string, { json }: JsonOption, act: Change): Promise<number> {
  const code = await withPreview(({ preview, home }) => {
    const hooks = preview.hooks()
    const before = hooks.find((hook) => hook.name === name)
    if (!isKnown(hooks, name)) return 1
    const stores = openStores(home, report)
    try {
      if (stores.isDurable) return act(stores, Date.now(), before)
      info('arc: nothing was changed: the database cannot be written')
      return 1
    } finally {
      stores.close()
    }
  })
  if (json === true && code === 0) {
    return withPreview(({ preview }) => {
      printJson(
        preview
          .hooks()
          .filter((hook) => hook.name === name)
          .map(listedJson(installedHosts())),
      )
      return 0
    })
  }
  return code
}

function isKnown(hooks: readonly PipelineHook[], name: string): boolean {
  const names = hooks.map((hook) => hook.name)
  if (names.includes(name)) return true
  const near = didYouMean(name, names)
  info(`arc: there is no hook ${show(name)} in this pipeline.${near} See: arc hooks list`)
  return false
}

function withPreview(look: (opened: { readonly preview: DryRun; readonly home: string }) => number): number {
  const opened = openDryRun({ cwd: context().cwd, report })
  try {
    for (const problem of opened.preview.problems) info(formatProblem(problem))
    return look(opened)
  } finally {
    opened.close()
  }
}

function listedJson(installed: InstalledHosts): (hook: PipelineHook) => object {
  return (hook) => ({ ...hookJson(hook), neverFiresWith: readReach(hook, installed).neverFiresWith })
}

function hookJson(hook: PipelineHook): object {
  const { name, priority, points, mode, effectiveMode, enabled, timeoutMs, source, layer, critical, disabled } = hook
  const off = disabled && { until: disabled.until ?? null, reason: disabled.reason ?? null }
  return {
    name,
    priority,
    points,
    mode: mode ?? null,
    effectiveMode,
    enabled,
    timeoutMs,
    source,
    layer,
    critical,
    ...off,
  }
}

function printHooks(hooks: readonly PipelineHook[], preview: DryRun, home: string): void {
  const { profile, enforcement } = preview.config
  print(
    `profile ${colors.bold(profile)}, mode ${colors.bold(enforcement)}, ${hooks.length} hooks in the order they run`,
  )
  if (hooks.length > 0) printTable(hooks, home)
  else
    info('This pipeline has no hooks. Add one to "commands" of your profile, or a script: docs/guides/configuration.md')
  for (const { hook, note } of findReachNotes(hooks))
    info(`${colors.yellow('!')} ${colors.bold(oneLine(hook))} ${note}.`)
  if (preview.loaded.project?.isTrusted === false) {
    info(`The hooks of ${preview.loaded.project.dir} are not trusted and not listed. To review them: arc trust`)
  }
}

function printTable(hooks: readonly PipelineHook[], home: string): void {
  const rows = hooks.map((hook) => {
    const { name, priority, points, effectiveMode, timeoutMs, source } = hook
    const from = colors.dim(shortPath(source, [home, context().cwd]))
    return [
      String(priority),
      colors.bold(name),
      formatState(hook),
      effectiveMode,
      showMs(timeoutMs),
      showPoints(points),
      from,
    ]
  })
  const head = ['prio', 'hook', 'state', 'mode', 'limit', 'points', 'from']
  for (const line of alignColumns(rows, { head, right: [0, 4] })) print(line)
}

const POINTS_COLUMNS = 21

// As many points as fit, and the number of the others.
function showPoints(points: readonly string[]): string {
  for (let count = points.length; count > 1; count--) {
    const more = points.length - count
    const text = points.slice(0, count).join(' ') + (more === 0 ? '' : ` +${more}`)
    if (text.length <= POINTS_COLUMNS) return text
  }
  return points.length > 1 ? `${points[0]} +${points.length - 1}` : (points[0] ?? '')
}

function formatState({ enabled, disabled }: PipelineHook): string {
  if (enabled) return colors.green('on')
  const until = disabled?.until === undefined ? '' : `, on ${fromNow(disabled.until)}`
  const why = disabled?.reason === undefined ? '' : ` (${oneLine(disabled.reason, 40)})`
  return colors.yellow(`off${until}${why}`)
}

function showMs(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000}s` : `${ms}ms`
}
