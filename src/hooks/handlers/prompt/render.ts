// A step as a model reads it: the envelope as JSON, or a template with `{{fields}}`.

/** Renders an envelope. Values of a template are put in as text; missing ones are empty. */
export function renderStep(envelope: object, template: string | undefined): string {
  if (template === undefined) return JSON.stringify(envelope, null, 2)
  return template.replace(/\{\{\s*([\w.-]+)\s*\}\}/g, (_, path: string) => textAt(envelope, path.split('.')))
}

function textAt(value: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((at, key) => (hasField(at, key) ? at[key] : undefined), value)
  if (found === undefined || found === null) return ''
  // What JSON has no form for is as good as missing.
  return typeof found === 'string' ? found : (JSON.stringify(found) ?? '')
}

function hasField(value: unknown, key: string): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}
