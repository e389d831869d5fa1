// The layer of a project on top of the user's configuration. Several projects can be loaded on top of one configuration of
// the user, which is then read once.

import { join, resolve, sep } from 'node:path'
import { type Config, DEFAULTS } from './config.ts'
import type { LayerLocation } from './extends-chain.ts'
import { LayerReader } from './layer-reader.ts'
import { tighten } from './layers.ts'
import type { Loaded, LoadedProject, LoadOptions } from './loaded.ts'
import { type Problem, problem } from './problem.ts'
import { strictestMode } from './strictness.ts'
import { fingerprint, hasHooks } from './trust.ts'
import { withoutHooks } from './valid-entries.ts'

/** Loads the layer of `options.project` on top of a loaded configuration of the user; without a project, that one. */
export function loadProject(user: Loaded, options: LoadOptions): Loaded {
  if (options.project === undefined) return user
  const reader = new LayerReader(options)
  const { config, project } = applyLayer(user.user, resolve(options.project), reader, options)
  const { problems, stale, absent, files } = reader.findings()
  return {
    ...{ config, user: user.user, chosen: user.chosen, layers: user.layers },
    problems: [...user.problems, ...problems],
    stale: [...user.stale, ...stale],
    absent: [...user.absent, ...absent],
    files: [...user.files, ...files],
    ...(project !== undefined && { project }),
  }
}

interface WithProject {
  readonly config: Config
  readonly project?: LoadedProject
}

function applyLayer(base: Config, dir: string, reader: LayerReader, { trusted, follow }: LoadOptions): WithProject {
  const place: LayerLocation = { kind: 'project', stem: join(dir, '.arc', 'config'), within: dir }
  const { is, layers: found, chain } = reader.read(`project:${dir}`, place, base)
  const readable = is === 'stale' ? chain.goodEntries.map(withoutHooks) : []
  const layers = [...(is === 'part' ? found.map(withoutHooks) : found), ...readable]
  const asked = is === 'stale' || is === 'part' ? chain.asked : undefined
  const start = asked === undefined ? base : { ...base, enforcement: strictestMode(base.enforcement, asked) }
  if (layers.length === 0) return { config: start }
  const config = layers.reduce((merged, layer) => {
    const step = tighten(merged, layer)
    reader.problems.push(...step.problems)
    return step.config
  }, start)
  // Merged with the defaults, so that the hash does not depend on the layers of the user.
  const { commands, scripts } = layers.reduce((merged, layer) => tighten(merged, layer).config, DEFAULTS)
  const hooks = { dir, commands, scripts }
  const print = fingerprint(hooks, follow)
  // Files outside the project, such as system programs, are not watched.
  for (const { file } of print.files) if (file.startsWith(dir + sep)) reader.files.add(file)
  const isTrusted = !hasHooks(hooks) || (print.canTrust && trusted?.isTrusted(dir, print.hash) === true)
  const project = { ...hooks, ...print, isTrusted }
  if (isTrusted) return { config, project }
  reader.problems.push(describeUntrusted(project))
  return { config: { ...config, commands: base.commands, scripts: base.scripts }, project }
}

function describeUntrusted({ dir, commands, scripts, refusal }: LoadedProject): Problem {
  const count = commands.length + scripts.length
  const { file, line, column } = [...commands, ...scripts][0]?.origin ?? { file: dir, line: 1, column: 1 }
  const hooks = `${count} ${count === 1 ? 'hook or script' : 'hooks and scripts'} of this project`
  const fix =
    refusal === undefined ? `Review and trust them with: arc trust ${dir}` : `They cannot be checked: ${refusal}.`
  const message = `The ${hooks} do not run, because their current content is not trusted. ${fix}`
  return problem('untrusted', file, message, { position: { line, column } })
}
