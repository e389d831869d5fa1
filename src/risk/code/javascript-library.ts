// JavaScript and TypeScript: functions of Node, Deno, Bun and common packages that delete, write, run, send or read secrets.

import type { CallArguments, Library, LibraryFunction } from './library.ts'
import { table } from './library.ts'
import { contentOf, deleteRows, onTwoPaths, remove, request, run, runSql, writeFile } from './shared-effects.ts'
import { asText, expandHome, joinPath, known, shellText, text, type Value, writeWord } from './value.ts'

function isTrue(value: Value | undefined): boolean {
  return value !== undefined && known(value) !== 'false'
}

const removeMaybeTree: LibraryFunction = (call) => remove(isTrue(call.named.get('recursive')) ? '-rf' : '')(call)
const write: LibraryFunction = ({ values }) => writeFile(values[0], values[1])
const read: LibraryFunction = ({ values }) => contentOf(values[0])
const script: LibraryFunction = ({ values }) => run(values[0], true)
// `spawn(program, args, options)`
const program: LibraryFunction = ({ values, named }) => {
  const [file, args] = values
  const words = [file as Value, ...(args?.kind === 'list' ? args.items : [])]
  if (args?.kind !== 'list' && named.has('shell')) return run(file, true)
  return named.has('shell')
    ? { commands: [words.map((word) => writeWord(word)).join(' ')] }
    : run({ kind: 'list', items: words }, false)
}
const fetchCall: LibraryFunction = ({ values, named }) =>
  request(known(named.get('method')) ?? (named.has('body') ? 'POST' : 'GET'), values[0], named.get('body'))
const send =
  (method: string): LibraryFunction =>
  ({ values, named }) => {
    const hasBody = method !== 'get' && method !== 'delete'
    return request(method, values[0], named.get('data') ?? (hasBody ? values[1] : undefined))
  }
const axios: LibraryFunction = ({ values, named }) =>
  values[0]?.kind === 'record'
    ? request(known(named.get('method')) ?? 'GET', named.get('url'), named.get('data'))
    : request('GET', values[0], undefined)
const sendPlain: LibraryFunction = ({ values, named }) =>
  request(known(named.get('method')) ?? 'GET', values[0], undefined)

const FS = 'fs fs.promises fs/promises fs-extra graceful-fs memfs-never'.split(' ')
const onFiles = (names: string, row: LibraryFunction): readonly [string, LibraryFunction] => [
  FS.flatMap((module) => names.split(' ').map((name) => `${module}.${name}`)).join(' '),
  row,
]
const onProcesses = (names: string, row: LibraryFunction): readonly [string, LibraryFunction] => [
  names
    .split(' ')
    .map((name) => `child_process.${name}`)
    .join(' '),
  row,
]

const FUNCTIONS = table([
  onFiles('rm rmSync rmdir rmdirSync', removeMaybeTree),
  onFiles('unlink unlinkSync', remove('')),
  onFiles('remove removeSync emptyDir emptyDirSync', remove('-rf')),
  onFiles('writeFile writeFileSync outputFile outputFileSync writeJson writeJsonSync', write),
  onFiles('truncate truncateSync', ({ values }) => ({ commands: [`truncate -s 0 ${writeWord(values[0])}`] })),
  onFiles('rename renameSync move moveSync', onTwoPaths('mv')),
  onFiles('copyFile copyFileSync cp cpSync copy copySync', onTwoPaths('cp -r')),
  onFiles('readFile readFileSync createReadStream', read),
  onFiles('createWriteStream openSync open', ({ values, named }) => {
    const mode = known(named.get('flags') ?? values[1]) ?? 'r'
    return /w/.test(mode) ? { commands: [`printf x > ${writeWord(values[0])}`] } : undefined
  }),
  onFiles('readdirSync readdir', ({ values }) => ({
    value: { kind: 'list', items: [joinPath([values[0] ?? text('.'), text('*')])] },
  })),
  onFiles('mkdtempSync mkdtemp', () => ({ value: text('/tmp/node-temporary') })),
  [
    'rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync del del.sync del.deleteAsync del.deleteSync trash',
    remove('-rf'),
  ],
  ['Deno.remove Deno.removeSync', removeMaybeTree],
  ['Deno.writeTextFile Deno.writeFile Deno.writeTextFileSync Bun.write', write],
  ['Deno.readTextFile Deno.readTextFileSync Bun.file', read],
  [
    'Deno.Command',
    ({ values, named }) => run({ kind: 'list', items: [values[0] as Value, ...listItems(named.get('args'))] }, false),
  ],
  ['Bun.spawn Bun.spawnSync', ({ values }) => run(values[0], false)],
  onProcesses('exec execSync', script),
  onProcesses('spawn spawnSync execFile execFileSync fork', program),
  ['execa execa.execa execa.execaSync execa.sync', program],
  ['execa.execaCommand execa.execaCommandSync shelljs.exec', script],
  ['shelljs.rm', ({ values }) => ({ commands: [`rm ${values.map(writeWord).join(' ')}`] })],
  ['fetch undici.fetch node-fetch got', fetchCall],
  ...['axios', 'got', 'superagent', 'ky'].flatMap((client) =>
    ['get', 'post', 'put', 'patch', 'delete'].map((method) => [`${client}.${method}`, send(method)] as const),
  ),
  ['axios axios.request', axios],
  ['http.get https.get http.request https.request', sendPlain],
  ['path.join path.resolve path.posix.join', ({ values }) => ({ value: joinPath(values) })],
  ['path.normalize String decodeURIComponent', ({ values }) => ({ value: asText(values[0]) })],
  ['os.homedir', () => ({ value: shellText('$HOME') })],
  ['os.tmpdir', () => ({ value: text('/tmp') })],
  ['process.cwd', () => ({ value: text('.') })],
  ['untildify expand-tilde', ({ values }) => ({ value: expandHome(values[0]) })],
  [
    'JSON.stringify Object.assign Object.entries',
    ({ values }) => (values[0] === undefined ? {} : { value: values[0] }),
  ],
  ['eval', ({ values }) => ({ code: known(values[0]) })],
  ['require', ({ values }) => ({ value: { kind: 'name', path: moduleName(known(values[0]) ?? 'unknown') } })],
])

function listItems(value: Value | undefined): readonly Value[] {
  return value?.kind === 'list' ? value.items : []
}

/** `node:fs` is `fs`. */
export function moduleName(written: string): string {
  return written.replace(/^node:/, '')
}

function isEmptyFilter({ values }: CallArguments): boolean {
  const [filter] = values
  return filter === undefined || (filter.kind === 'record' && (filter.fields.size === 0 || isEmptyWhere(filter.fields)))
}

function isEmptyWhere(fields: ReadonlyMap<string, Value>): boolean {
  const where = fields.get('where')
  return fields.size === 1 && where?.kind === 'record' && where.fields.size === 0
}

const METHODS = table([
  ['deleteMany', (call) => (isEmptyFilter(call) ? deleteRows(modelName(call)) : undefined)],
  [
    'destroy',
    (call) =>
      isTrue(call.named.get('truncate')) || (call.values[0] !== undefined && isEmptyFilter(call))
        ? deleteRows(modelName(call))
        : undefined,
  ],
  ['dropDatabase dropSchema', () => ({ commands: ['dropdb app'] })],
  ['dropTable', ({ values }) => deleteRows(known(values[0]) ?? 'table', true)],
  ['query execute exec raw $executeRawUnsafe $queryRawUnsafe', runSql],
  ['rmSync unlinkSync', removeMaybeTree],
  ['toString trim toLowerCase', ({ receiver }) => (receiver === undefined ? undefined : { value: receiver })],
])

function modelName({ receiver }: CallArguments): string {
  return receiver?.kind === 'name' ? receiver.path : 'model'
}

// AWS SDK: `new DeleteBucketCommand({ Bucket })`
const cloudCommand: LibraryFunction = ({ method, named }) => {
  const name = /^((?:Delete|Terminate|Purge)\w*)Command$/.exec(method)?.[1]
  if (name === undefined) return undefined
  const verb = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
  return { commands: [`aws sdk ${verb} ${[...named.values()].slice(0, 4).map(writeWord).join(' ')}`] }
}

/** The library of JavaScript. */
export const JAVASCRIPT: Library = {
  functions: FUNCTIONS,
  methods: METHODS,
  anyMethod: cloudCommand,
  constants: new Map<string, Value>([
    ['process.env', shellText('$(env)')],
    ['process.env.HOME', shellText('$HOME')],
    ['process.env.USERPROFILE', shellText('$HOME')],
    ['process.env.TMPDIR', text('/tmp')],
  ]),
  globals: new Map(
    'fs path os child_process process require fetch eval axios rimraf execa Deno Bun JSON Object String http https shelljs got ky'
      .split(' ')
      .map((name) => [name, name]),
  ),
  temporaryNames: /^(?:tmp|tmpDir|tempDir|tmpdir)$/,
}
