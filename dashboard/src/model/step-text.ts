// The main text of a step: its command, path or message, from the JSON in the trace.

/** The complete main text; undefined if the data has none. */
export function findMainText(data: string): string | undefined {
  const parsed = parse(data)
  if (!isObject(parsed)) return undefined
  const args = isObject(parsed.args) ? parsed.args : {}
  const config = isObject(parsed.config) ? parsed.config : {}
  const places = [args.command, args.cmd, args.path, args.file_path, args.url, args.prompt]
  const own = [parsed.prompt, parsed.message, parsed.output, parsed.content, parsed.reason, config.prompt]
  return [...places, ...own].find((text) => typeof text === 'string' && text !== '') as string | undefined
}

/** JSON for reading: a string without quotes, other values with line breaks. */
export function toReadable(json: string): string {
  const parsed = parse(json)
  if (parsed === undefined) return json
  return typeof parsed === 'string' ? parsed : JSON.stringify(parsed, null, 2)
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown
  } catch {
    // Clipped or not JSON: as it is.
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
