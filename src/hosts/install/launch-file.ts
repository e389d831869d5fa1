// The file with ARC's hooks for a single run of an agent: the first file of the host's installation, in a temporary folder.

import { ArcError } from '../../engine/errors.ts'
import type { LaunchFile, LaunchInput } from '../host.ts'

/** Creates the file; `before` is a text to which the hooks are added. */
export function createLaunchFile(input: LaunchInput, before?: string): LaunchFile {
  const { host, folder, launcher, failClosed, onDemand } = input
  const [file] = host.install.files({ scope: 'user', dir: folder, env: {} })
  if (file === undefined) throw new ArcError('ARC_LAUNCH_INVALID', `${host.title} has no file for hooks.`)
  const text = file.add(before, { command: launcher, failClosed, onDemand })
  if (typeof text !== 'string') throw new ArcError('ARC_LAUNCH_INVALID', `${file.path}: ${text.message}`)
  return { path: file.path, text, mode: file.mode }
}
