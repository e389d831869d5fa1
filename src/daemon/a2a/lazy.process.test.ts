import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const ENTRIES = ['src/daemon/server.ts', 'src/cli/commands.ts', 'src/cli/hook/main.ts']

it('the SDK is loaded by the first A2A request and by nothing before', async () => {
  const { metafile } = await build({
    ...{ absWorkingDir: ROOT, entryPoints: ENTRIES, outdir: 'out', bundle: true, splitting: true, write: false },
    ...{ format: 'esm', platform: 'node', packages: 'external', metafile: true, logLevel: 'silent' },
  })
  const { outputs } = metafile
  const importsOf = (file: string) => outputs[file]?.imports ?? []
  const usesSdk = (file: string): boolean => importsOf(file).some(({ path }) => path.startsWith('@a2a-js/sdk'))
  const atStart = new Set(Object.keys(outputs).filter((file) => ENTRIES.includes(outputs[file]?.entryPoint ?? '')))
  expect(atStart.size).toBe(ENTRIES.length)
  // A set may grow while it is walked.
  for (const file of atStart) {
    for (const { path, kind } of importsOf(file)) if (kind === 'import-statement' && path in outputs) atStart.add(path)
  }
  expect([...atStart].filter(usesSdk)).toEqual([])
  const later = Object.keys(outputs).filter(usesSdk)
  expect(later.map((file) => outputs[file]?.entryPoint)).toEqual(['src/daemon/a2a/endpoint.ts'])
})
