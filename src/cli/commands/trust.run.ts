// `arc trust` shows everything a project's hooks would run, and trusts exactly that content. `arc untrust` revokes it.

import { createHash } from 'node:crypto'
import { relative, resolve } from 'node:path'
import type { LoadedProject } from '../../config/load.ts'
import { formatProblem, isFatal, type Problem } from '../../config/problem.ts'
import { readBoundedFile } from '../../config/read-file.ts'
import { describeHooks, hasHooks } from '../../config/trust.ts'
import { trustProject, untrustProject } from '../../config/trusted-projects.ts'
import { ArcError } from '../../engine/errors.ts'
import { recordEvent } from '../../hooks/pipeline-services.ts'
import { arcHome, findProject } from '../../platform/home.ts'
import { openStores, type Stores } from '../../storage/open-stores.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import colors from '../colors.ts'
import { type Confirmed, confirm, requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { info, printJson, report } from '../output.ts'

/** The options of `arc trust`. */
export interface TrustOptions {
  readonly yes?: boolean
  readonly json?: boolean
}

/** Shows a project's hooks and, after confirmation, trusts their content. */
export async function trust(given: string | undefined, options: TrustOptions): Promise<number> {
  const dir = resolve(context().cwd, given ?? '.')
  const { project, problems } = loadProject(dir)
  const answer = (trusted: boolean, code: number): number => {
    if (options.json === true) printJson({ dir: project?.dir ?? dir, hash: project?.hash ?? null, trusted })
    return code
  }
  if (project === undefined || !hasHooks(project)) {
    for (const problem of problems) info(formatProblem(problem))
    report(`${dir} has no commands or scripts in .arc/config.json or .yaml, so there is nothing to trust`)
    return answer(false, 1)
  }
  const changed = showProject(project)
  const refusal = findRefusal(project, problems, changed)
  if (refusal !== undefined) {
    report(refusal)
    return answer(false, 1)
  }
  if (project.isTrusted) {
    info(`${colors.green('✓')} Already trusted. Any change must be trusted again.`)
    return answer(true, 0)
  }
  const question = 'Trust exactly this content, so that it runs with your permissions?'
  const confirmed = await confirm("trust a project's hooks", { question }).catch(reportRefusal)
  if (confirmed === undefined) return answer(false, 1)
  // Only the content that was shown is trusted: it may have changed meanwhile.
  if (loadProject(dir).project?.hash !== project.hash) {
    report('the hooks changed while you reviewed them; run this again')
    return answer(false, 1)
  }
  const isSaved = save((stores, now) => {
    trustProject(stores.state, project.dir, project.hash, now)
    return { action: 'config:trust', message: `the hooks of ${project.dir} are trusted as they are now` }
  }, confirmed)
  if (isSaved) info(`${colors.green('✓')} Trusted. The hooks run from now on; any change must be trusted again.`)
  return answer(isSaved, isSaved ? 0 : 1)
}

/** Stops trusting a project's hooks. */
export async function untrust(given: string | undefined, { json }: { readonly json?: boolean }): Promise<number> {
  const dir = resolve(context().cwd, given ?? '.')
  const { project } = loadProject(dir)
  const root = project?.dir ?? findProject(dir) ?? dir
  const confirmed = requirePerson('change which hooks are trusted')
  let wasTrusted = false
  const isSaved = save((stores) => {
    wasTrusted = untrustProject(stores.state, root)
    return { action: 'config:untrust', message: `the hooks of ${root} are no longer trusted` }
  }, confirmed)
  if (isSaved)
    info(wasTrusted ? `${colors.green('✓')} The hooks of ${root} no longer run.` : `${root} was not trusted.`)
  if (json === true)
    printJson({ dir: root, hash: project?.hash ?? null, trusted: !isSaved && project?.isTrusted === true })
  return isSaved ? 0 : 1
}

interface ReviewedProject {
  readonly project: LoadedProject | undefined
  /** The problems of the project's own files. */
  readonly problems: readonly Problem[]
}

function loadProject(dir: string): ReviewedProject {
  const { preview, close } = openDryRun({ cwd: dir, report })
  close()
  const { project, problems } = preview.loaded
  const root = project?.dir ?? findProject(dir) ?? dir
  return { project, problems: problems.filter(({ kind, file }) => kind !== 'untrusted' && file.startsWith(root)) }
}

// Returns why these hooks cannot be trusted.
function findRefusal(
  { refusal, unfollowed }: LoadedProject,
  problems: readonly Problem[],
  changed?: string,
): string | undefined {
  for (const problem of problems) info(formatProblem(problem))
  if (problems.some(isFatal)) return "the project's configuration has errors; fix these first"
  if (unfollowed.length > 0) {
    info(
      'Some commands cannot be followed, so trust covers every file of the project: any change must be trusted again.',
    )
  }
  if (refusal !== undefined) return `these hooks cannot be trusted: ${refusal}. Name the programs by their paths`
  return changed === undefined ? undefined : `${changed} changed while it was read; run this again`
}

// Longer files are not shown.
const MAX_SHOWN_BYTES = 64 * 1024

// Shows every hook and the text of every file that hooks name. Returns the name of a file that changed meanwhile.
function showProject(project: LoadedProject): string | undefined {
  info(colors.bold(`What ${project.dir} would run:`))
  for (const line of describeHooks(project)) info(`  ${line}`)
  const scripts = project.scripts.map(({ file, sha256 }) => ({ file, sha256 }))
  const files = project.files.flatMap(({ file, sha256 }) => (sha256 === undefined ? [] : [{ file, sha256 }]))
  let changed: string | undefined
  for (const { file, sha256 } of [...scripts, ...files]) {
    const name = relative(project.dir, file)
    // System programs are listed above with their hash; their content is not shown.
    if (name.startsWith('..')) continue
    const { text, problem } = readBoundedFile(file, MAX_SHOWN_BYTES)
    info(colors.bold(`\n${name}`))
    if (problem !== undefined) info(colors.dim(`  (not shown: ${problem.message})`))
    if (text === undefined) continue
    if (createHash('sha256').update(text).digest('hex') !== sha256) changed = name
    for (const line of text.trimEnd().split('\n')) info(`  ${colors.dim('│')} ${escapeInvisible(line)}`)
  }
  info('')
  return changed
}

// Control and direction characters could make a text look different from what runs.
function escapeInvisible(line: string): string {
  return line.replace(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

// Reported here, so that --json still prints its document.
function reportRefusal(error: unknown): undefined {
  if (!(error instanceof ArcError) || error.code !== 'ARC_NEEDS_PERSON') throw error
  report(error.message)
  return undefined
}

type SavedChange = { readonly action: string; readonly message: string }

// Changes the stored state and records the change; false if the database cannot be written.
function save(act: (stores: Stores, now: number) => SavedChange, confirmed: Confirmed): boolean {
  const stores = openStores(arcHome(), report)
  try {
    if (!stores.isDurable) return false
    const now = Date.now()
    const { action, message } = act(stores, now)
    recordEvent(
      stores.trace,
      { component: 'config', action, level: 'info', message, data: { ...confirmed } },
      { time: now },
    )
    return true
  } finally {
    stores.close()
  }
}
