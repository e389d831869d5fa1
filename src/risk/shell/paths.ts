// Path functions on text only; nothing reads the file system.

/** An absolute path without `.` and `..`; a relative path stays relative when the folder is unknown. */
export function resolvePath(cwd: string | undefined, path: string): string {
  if (path.startsWith('/')) return normalise(path)
  return cwd === undefined ? path : normalise(`${cwd}/${path}`)
}

/** The last part of a path. */
export function baseName(path: string): string {
  const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

function normalise(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
