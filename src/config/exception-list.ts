// The exceptions of the user's files: appended, each with its origin.

import type { Exception, Origin } from './config.ts'
import type { ValidFile } from './validate.ts'

/** Appends the exceptions of a file of the user. */
export function addExceptions(base: readonly Exception[], { settings, source }: ValidFile): readonly Exception[] {
  const added = (settings.exceptions ?? []).map((setting, index): Exception => {
    const origin: Origin = { layer: 'user', file: source.file, ...source.at(['exceptions', index]) }
    const { id, kind, project, reason, by, createdAt, expiresAt } = setting
    const times = { createdAt: readTime(createdAt), expiresAt: readTime(expiresAt) }
    const bound =
      setting.kind === 'rule'
        ? { rules: [setting.rule] }
        : { rules: setting.rules, command: setting.command, folder: setting.folder, digest: setting.digest }
    return { id, kind, project, reason, by, ...times, ...bound, origin }
  })
  return added.length === 0 ? base : [...base, ...added]
}

/** The content of an exception without its origin: equal for the same entry of two loads. */
export function serializeException({ origin: _origin, ...content }: Exception): string {
  return JSON.stringify(content)
}

function readTime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
