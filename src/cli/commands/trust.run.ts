// `arc trust`: shows literally what a project would run, and trusts exactly that. `arc untrust` takes it back.

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
import { printJson, report, tell } from '../output.ts'

/** What `arc trust` was asked. */
export interface TrustOptions {
  readonly yes?: boolean
  readonly json?: boolean
}

/** Shows a project's hooks and, when a person says so, trusts them as they are. */
export async function trust(given: string | undefined, options: TrustOptions): Promise<number> {
  const dir = resolve(given ?? '.')
  const { project, problems } = look(dir)
  const answer = (trusted: boolean, code: number): number => {
    if (options.json === true) printJson({ dir: project?.dir ?? dir, hash: project?.hash ?? null, trusted })
    return code
  }
  if (project === undefined || !hasHooks(project)) {
    for (const problem of problems) tell(formatProblem(problem))
    report(`${dir} names no commands or scripts in .arc/config.json or .yaml, so there is nothing to trust`)
    return answer(false, 1)
  }
  const changed = showProject(project)
  const refusal = refusalOf(project, problems, changed)
  if (refusal !== undefined) {
    report(refusal)
    return answer(false, 1)
  }
  if (project.isTrusted) {
    tell(`${colors.green('✓')} This is trusted already; a change of any of it will ask again.`)
    return answer(true, 0)
  }
  const question = 'Trust exactly this, so that it runs with your rights?'
  const confirmed = await confirm("trust a project's hooks", { question }).catch(reportRefusal)
  if (confirmed === undefined) return answer(false, 1)
  // Somebody may have changed it while it was read: what is trusted is what was shown.
  if (look(dir).project?.hash !== project.hash) {
    report('it was changed while you read it; look at it once more')
    return answer(false, 1)
  }
  const isKept = keep((stores, now) => {
    trustProject(stores.state, project.dir, project.hash, now)
    return { action: 'config:trust', message: `the hooks of ${project.dir} are trusted as they are now` }
  }, confirmed)
  if (isKept) tell(`${colors.green('✓')} Trusted. They run from now on; a change of any of it will ask again.`)
  return answer(isKept, isKept ? 0 : 1)
}

/** Takes trust in a project's hooks away. */
export async function untrust(given: string | undefined, { json }: { readonly json?: boolean }): Promise<number> {
  const dir = resolve(given ?? '.')
  const { project } = look(dir)
  const root = project?.dir ?? findProject(dir) ?? dir
  const confirmed = requirePerson('change what is trusted')
  let wasTrusted = false
  const isKept = keep((stores) => {
    wasTrusted = untrustProject(stores.state, root)
    return { action: 'config:untrust', message: `the hooks of ${root} are no longer trusted` }
  }, confirmed)
  if (isKept) tell(wasTrusted ? `${colors.green('✓')} The hooks of ${root} no longer run.` : `${root} was not trusted.`)
  if (json === true)
    printJson({ dir: root, hash: project?.hash ?? null, trusted: !isKept && project?.isTrusted === true })
  return isKept ? 0 : 1
}

interface Looked {
  readonly project: LoadedProject | undefined
  /** What is wrong with the project's own files. */
  readonly problems: readonly Problem[]
}

function look(dir: string): Looked {
  const { preview, close } = openDryRun({ cwd: dir, report })
  close()
  const { project, problems } = preview.loaded
  const root = project?.dir ?? findProject(dir) ?? dir
  return { project, problems: problems.filter(({ kind, file }) => kind !== 'untrusted' && file.startsWith(root)) }
}

// Why these hooks cannot be trusted, if so.
function refusalOf(
  { refusal, unfollowed }: LoadedProject,
  problems: readonly Problem[],
  changed?: string,
): string | undefined {
  for (const problem of problems) tell(formatProblem(problem))
  if (problems.some(isFatal)) return "the project's configuration has mistakes; mend them and run this again"
  if (unfollowed.length > 0) {
    tell(
      'Some of it cannot be followed, so trust covers every file of the project: a change of any of them asks again.',
    )
  }
  if (refusal !== undefined) return `these hooks cannot be trusted: ${refusal}. Name what they run by its path`
  return changed === undefined ? undefined : `${changed} was changed while it was read; look at it once more`
}

// The most that is shown of one file; whoever needs more opens it.
const MAX_SHOWN_BYTES = 64 * 1024

// Shows every hook and the text of every file that they name. Gives the name of one that changed meanwhile.
function showProject(project: LoadedProject): string | undefined {
  tell(colors.bold(`What ${project.dir} would run:`))
  for (const line of describeHooks(project)) tell(`  ${line}`)
  const scripts = project.scripts.map(({ file, sha256 }) => ({ file, sha256 }))
  const files = project.files.flatMap(({ file, sha256 }) => (sha256 === undefined ? [] : [{ file, sha256 }]))
  let changed: string | undefined
  for (const { file, sha256 } of [...scripts, ...files]) {
    const name = relative(project.dir, file)
    // Programs of the system are named by their hash above; their text would help nobody.
    if (name.startsWith('..')) continue
    const { text, problem } = readBoundedFile(file, MAX_SHOWN_BYTES)
    tell(colors.bold(`\n${name}`))
    if (problem !== undefined) tell(colors.dim(`  (not shown: ${problem.message})`))
    if (text === undefined) continue
    if (createHash('sha256').update(text).digest('hex') !== sha256) changed = name
    for (const line of text.trimEnd().split('\n')) tell(`  ${colors.dim('│')} ${literally(line)}`)
  }
  tell('')
  return changed
}

// Control and direction characters would let a text show as something it is not.
function literally(line: string): string {
  return line.replace(/(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

// Said here, so that --json has its answer all the same.
function reportRefusal(error: unknown): undefined {
  if (!(error instanceof ArcError) || error.code !== 'ARC_NEEDS_PERSON') throw error
  report(error.message)
  return undefined
}

type Kept = { readonly action: string; readonly message: string }

// Does something to the lasting state and leaves a line in the log; false when it cannot be kept.
function keep(act: (stores: Stores, now: number) => Kept, confirmed: Confirmed): boolean {
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
