// What a step is about, from its data: the command, the path, the message. The data is JSON as the record keeps it.

/** The text that a person would read first, whole; undefined when the data has none. */
export function mainTextOf(data: string): string | undefined {
  const parsed = parse(data)
  if (!isObject(parsed)) return undefined
  const args = isObject(parsed.args) ? parsed.args : {}
  const config = isObject(parsed.config) ? parsed.config : {}
  const places = [args.command, args.cmd, args.path, args.file_path, args.url, args.prompt]
  const own = [parsed.prompt, parsed.message, parsed.output, parsed.content, parsed.reason, config.prompt]
  return [...places, ...own].find((text) => typeof text === 'string' && text !== '') as string | undefined
}

/** A JSON text as a person reads it: a string without its quotes, the rest with line breaks. */
export function readableOf(json: string): string {
  const parsed = parse(json)
  if (parsed === undefined) return json
  return typeof parsed === 'string' ? parsed : JSON.stringify(parsed, null, 2)
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    // Clipped, or no JSON at all: as it stands.
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
