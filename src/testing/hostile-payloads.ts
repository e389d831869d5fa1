// Payloads that no well-behaved agent sends: for the contract of hosts and for fuzz tests.

/** Payloads that no well-behaved agent sends. */
export function hostilePayloads(good: string): readonly string[] {
  const fields = JSON.parse(good) as Record<string, unknown>
  const wrongTypes = [null, 7, true, [], 'x', {}, [[]], { toString: 1 }].map((value) =>
    JSON.stringify(Object.fromEntries(Object.keys(fields).map((key) => [key, value]))),
  )
  const missing = Object.keys(fields).map((key) => JSON.stringify({ ...fields, [key]: undefined }))
  return [
    ...['', '   ', 'null', '[]', '"text"', '7', '{', '{"a":', 'not json', '\u0000', '\uFEFF{}', '{}'],
    ...['{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'],
    good.replace('{', '{"__proto__":{"polluted":1},'),
    good.replaceAll('touch a', 'touch \u202E\u{1F600}\\ud800'),
    good.replaceAll('touch a', `touch ${'x'.repeat(10_000_000)}`),
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    good.replace('{', `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)},`),
    ...wrongTypes,
    ...missing,
  ]
}
