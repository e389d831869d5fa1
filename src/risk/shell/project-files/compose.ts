// Compose files: each service as the `docker run` that it means.

import { readYamlScalars, type YamlScalar } from './yaml-lines.ts'

export interface ServiceCall {
  readonly words: readonly string[]
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The calls of these services; of all services if there is none. */
export function readServiceCalls(text: string, services: readonly string[]): readonly ServiceCall[] {
  const byService = new Map<string, YamlScalar[]>()
  for (const scalar of readYamlScalars(text)) {
    const [first, name] = scalar.path
    if (first !== 'services' || name === undefined) continue
    byService.set(name, [...(byService.get(name) ?? []), scalar])
  }
  const wanted = services.filter((name) => byService.has(name))
  return [...byService]
    .filter(([name]) => wanted.length === 0 || wanted.includes(name))
    .map(([name, scalars]) => toCall(name, scalars))
}

function toCall(name: string, scalars: readonly YamlScalar[]): ServiceCall {
  const under = (key: string) => scalars.filter(({ path }) => path[2] === key)
  const [image] = under('image')
  const entrypoint = under('entrypoint')
  const command = under('command')
  const place = command[0] ?? entrypoint[0] ?? image ?? scalars[0]
  return {
    name,
    words: [
      ...['docker', 'run'],
      ...under('volumes').flatMap(({ value, path }) => (path.length === 4 ? ['-v', value] : [])),
      ...under('privileged').flatMap(({ value }) => (value === 'true' ? ['--privileged'] : [])),
      ...under('pid').flatMap(({ value }) => ['--pid', value]),
      ...under('network_mode').flatMap(({ value }) => ['--network', value]),
      image?.value ?? 'image',
      ...[...entrypoint, ...command].flatMap(splitCommand),
    ],
    start: place?.start ?? 0,
    end: place?.end ?? 0,
  }
}

// A list has one word per item; a text is split by compose, which knows quotes.
function splitCommand({ value, path }: YamlScalar): readonly string[] {
  if (path.length > 3) return [value]
  return (value.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, '$2'))
}
