// Python: functions of the standard library and of common packages that delete, write, run, send or read secrets.

import type { CallArguments, CallResult, Library, LibraryFunction } from './library.ts'
import { table } from './library.ts'
import {
  cloudCall,
  contentOf,
  deleteRows,
  onTwoPaths,
  remove,
  request,
  run,
  runSql,
  writeFile,
} from './shared-effects.ts'
import { asText, concat, expandHome, joinPath, known, shellText, text, type Value, writeWord } from './value.ts'

const ANY_FILES: Value = { kind: 'list', items: [text('*')] }
const TEMPORARY: Value = text('/tmp/python-temporary')

const first =
  (make: (value: Value | undefined) => CallResult): LibraryFunction =>
  ({ values }) =>
    make(values[0])
const value =
  (made: Value): LibraryFunction =>
  () => ({ value: made })
const path: LibraryFunction = ({ values }) => ({ value: { kind: 'object', type: 'path', of: joinPath(values) } })

// `open(path, mode)`: a file that is opened for writing is emptied. What is written later is not known here.
const open: LibraryFunction = ({ values, named, receiver }) => {
  const isMethod = receiver?.kind === 'object' && receiver.type === 'path'
  const file = isMethod ? receiver : values[0]
  const mode = known(named.get('mode') ?? values[isMethod ? 0 : 1]) ?? 'r'
  const of: Value = { kind: 'object', type: mode.includes('r') ? 'file' : 'written file', of: asText(file) }
  if (/[wx]/.test(mode)) return { commands: [`printf x > ${writeWord(file)}`], value: of }
  if (mode.includes('a')) return { commands: [`printf x >> ${writeWord(file)}`], value: of }
  return { commands: [`cat ${writeWord(file)}`], value: { ...of, type: 'file' } }
}

// Only the content of files that were opened here is known.
const readOpened: LibraryFunction = ({ receiver }) => {
  if (receiver?.kind !== 'object' || (receiver.type !== 'file' && receiver.type !== 'path')) return undefined
  return receiver.type === 'path' ? contentOf(receiver.of) : { value: shellText(`$(cat ${writeWord(receiver.of)})`) }
}

const emptyWrite: LibraryFunction = ({ receiver, values }) =>
  receiver?.kind === 'object' && receiver.type === 'written file' && known(values[0]) === ''
    ? writeFile(receiver.of, values[0])
    : undefined

function isShell({ named }: CallArguments): boolean {
  return named.get('shell') !== undefined && known(named.get('shell')) !== 'False'
}

const runProgram: LibraryFunction = (call) => {
  const command = call.values[0] ?? call.named.get('args')
  return run(command, isShell(call) || command?.kind === 'text')
}
const runScript: LibraryFunction = ({ values }) => run(values[0], true)
// `os.execvp(file, args)`: the list has the program's name as its first item.
const execute: LibraryFunction = ({ values }) => {
  const list = values.find((value) => value.kind === 'list')
  return run(list ?? { kind: 'list', items: values.slice(0, 1) }, false)
}
const runWords: LibraryFunction = ({ values }) =>
  run({ kind: 'list', items: values.filter(({ kind }) => kind === 'text') }, false)

const http =
  (method: string): LibraryFunction =>
  ({ values, named }) => {
    const body =
      named.get('json') ?? named.get('data') ?? named.get('files') ?? named.get('content') ?? named.get('params')
    return request(method, values[0] ?? named.get('url'), body ?? (method === 'get' ? undefined : values[1]))
  }
const anyRequest: LibraryFunction = ({ values, named }) =>
  request(known(values[0]) ?? 'GET', values[1] ?? named.get('url'), named.get('json') ?? named.get('data'))
const urlopen: LibraryFunction = ({ values, named }) => {
  const body = named.get('data') ?? values[1]
  return request(body === undefined ? 'GET' : 'POST', values[0], body)
}

const HTTP_CLIENTS = [
  'requests',
  'httpx',
  'requests.Session',
  'httpx.Client',
  'httpx.AsyncClient',
  'aiohttp.ClientSession',
]
const HTTP_METHODS = ['get', 'post', 'put', 'patch', 'delete']

// A format with `%`: each place is filled in order.
export function fillFormat(format: string, values: readonly Value[]): Value {
  const parts = format.split(/%[-\d.]*[sdrf]/)
  return concat(parts.flatMap((part, index) => (index === 0 ? [text(part)] : [asText(values[index - 1]), text(part)])))
}

const FUNCTIONS = table([
  ['os.remove os.unlink os.rmdir pathlib.Path.unlink', remove('')],
  ['shutil.rmtree os.removedirs distutils.dir_util.remove_tree', remove('-rf')],
  ['os.rename os.replace os.renames shutil.move', onTwoPaths('mv')],
  ['shutil.copy shutil.copy2 shutil.copyfile shutil.copytree', onTwoPaths('cp -r')],
  ['os.truncate', first((file) => ({ commands: [`truncate -s 0 ${writeWord(file)}`] }))],
  [
    'os.chmod',
    ({ values }) => ({ commands: [`chmod ${(known(values[1]) ?? '644').replace(/^0o/, '')} ${writeWord(values[0])}`] }),
  ],
  ['open io.open codecs.open', open],
  [
    'os.system os.popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput asyncio.create_subprocess_shell',
    runScript,
  ],
  [
    'subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen pty.spawn sh.Command',
    runProgram,
  ],
  ['asyncio.create_subprocess_exec os.spawnlp', runWords],
  ['os.execv os.execvp os.execve os.execvpe os.execl os.execlp', execute],
  ['urllib.request.urlopen urllib.urlopen', urlopen],
  [
    'urllib.request.Request',
    ({ values, named }) => ({
      value: concat([asText(values[0]), ...(named.has('data') ? [asText(named.get('data'))] : [])]),
    }),
  ],
  ['requests.request httpx.request', anyRequest],
  ['os.path.join', ({ values }) => ({ value: joinPath(values) })],
  ['os.path.expanduser', ({ values }) => ({ value: expandHome(values[0]) })],
  [
    'os.path.expandvars os.path.abspath os.path.realpath os.path.normpath os.fspath str shlex.quote bytes',
    first((given) => ({ value: asText(given) })),
  ],
  ['os.getcwd pathlib.Path.cwd', value(text('.'))],
  [
    'os.listdir os.scandir',
    first((folder) => ({ value: { kind: 'list', items: [joinPath([folder ?? text('.'), text('*')])] } })),
  ],
  ['glob.glob glob.iglob', first((pattern) => ({ value: { kind: 'list', items: [asText(pattern)] } }))],
  [
    'os.walk',
    first((folder) => ({
      value: { kind: 'list', items: [{ kind: 'list', items: [asText(folder), ANY_FILES, ANY_FILES] }] },
    })),
  ],
  [
    'os.getenv os.environ.get',
    ({ values }) => ({
      value: known(values[0]) === 'HOME' ? shellText('$HOME') : shellText(`$${known(values[0]) ?? 'VARIABLE'}`),
    }),
  ],
  ['pathlib.Path pathlib.PurePath pathlib.PosixPath', path],
  ['pathlib.Path.home', value({ kind: 'object', type: 'path', of: shellText('$HOME') })],
  [
    'tempfile.mkdtemp tempfile.mkstemp tempfile.gettempdir tempfile.TemporaryDirectory tempfile.NamedTemporaryFile tempfile.mktemp',
    value(TEMPORARY),
  ],
  [
    '__import__ importlib.import_module',
    ({ values }) => ({ value: { kind: 'name', path: known(values[0]) ?? 'unknown' } }),
  ],
  [
    'getattr',
    ({ values: [object, name] }) =>
      object?.kind === 'name' && known(name) !== undefined
        ? { value: { kind: 'name', path: `${object.path}.${known(name)}` } }
        : undefined,
  ],
  ['exec eval', ({ values }) => ({ code: known(values[0]) })],
  [
    'dict list tuple set sorted reversed enumerate json.dumps',
    first((given) => (given === undefined ? {} : { value: given })),
  ],
  [
    'boto3.client boto3.resource',
    first((service) => ({ value: { kind: 'object', type: 'cloud', of: asText(service) } })),
  ],
  ['sqlite3.connect', first((database) => ({ value: { kind: 'object', type: 'database', of: asText(database) } }))],
  ...HTTP_CLIENTS.flatMap((client) => HTTP_METHODS.map((method) => [`${client}.${method}`, http(method)] as const)),
])

// `Model.objects.all().delete()`, `session.query(Model).delete()`: a filter narrows it.
const deleteQuery: LibraryFunction = ({ receiver, values }) => {
  if (values.length > 0 || receiver?.kind !== 'object' || receiver.type !== 'all rows') return undefined
  return deleteRows(known(receiver.of) ?? '')
}
const allRows: LibraryFunction = ({ receiver }) => {
  const model = receiver?.kind === 'name' ? receiver.path : receiver?.kind === 'object' ? `${receiver.type}` : ''
  return /(?:^|\.)objects$/.test(model) ? { value: { kind: 'object', type: 'all rows', of: text('rows') } } : undefined
}

const isPath = ({ receiver }: CallArguments): boolean => receiver?.kind === 'object' && receiver.type === 'path'
const ofPath =
  (row: LibraryFunction): LibraryFunction =>
  (call) =>
    isPath(call) ? row(call) : undefined

const METHODS = table([
  [
    'unlink',
    (call) => (isPath(call) || call.receiver?.kind === 'text' ? remove('')({ ...call, values: [] }) : undefined),
  ],
  ['rmdir', ofPath((call) => remove('')({ ...call, values: [] }))],
  ['rmtree', remove('-rf')],
  ['write_text write_bytes', (call) => (isPath(call) ? writeFile(call.receiver, call.values[0]) : undefined)],
  ['rename replace', ofPath(onTwoPaths('mv'))],
  ['read_text read_bytes', ofPath(({ receiver }) => contentOf(receiver))],
  ['open', ofPath(open)],
  ['read readlines', readOpened],
  ['write', emptyWrite],
  [
    'joinpath',
    ofPath(({ receiver, values }) => ({
      value: { kind: 'object', type: 'path', of: joinPath([receiver as Value, ...values]) },
    })),
  ],
  ['expanduser', ofPath(({ receiver }) => ({ value: { kind: 'object', type: 'path', of: expandHome(receiver) } }))],
  ['resolve absolute', ofPath(({ receiver }) => ({ value: receiver }))],
  [
    'glob rglob iterdir',
    ofPath(({ receiver, values }) => ({
      value: {
        kind: 'list',
        items: [{ kind: 'object', type: 'path', of: joinPath([receiver as Value, values[0] ?? text('*')]) }],
      },
    })),
  ],
  [
    'format',
    ({ receiver, values }) => ({ value: fillFormat((known(receiver) ?? '').replace(/\{\w*\}/g, '%s'), values) }),
  ],
  ['encode decode strip rstrip', ({ receiver }) => (receiver === undefined ? undefined : { value: receiver })],
  ['execute executescript executemany', runSql],
  [
    'cursor',
    ({ receiver }) => (receiver?.kind === 'object' && receiver.type === 'database' ? { value: receiver } : undefined),
  ],
  ['all', allRows],
  ['delete', deleteQuery],
  ['drop_all', () => deleteRows('all', true)],
  ['drop_database', ({ values }) => ({ commands: [`dropdb ${writeWord(values[0])}`] })],
  [
    'delete_many',
    ({ values }) =>
      values[0]?.kind === 'record' && values[0].fields.size === 0 ? deleteRows('collection') : undefined,
  ],
])

const CLOUD = cloudCall(({ receiver }) =>
  receiver?.kind === 'object' && receiver.type === 'cloud' ? known(receiver.of) : undefined,
)

/** The library of Python. */
export const PYTHON: Library = {
  functions: FUNCTIONS,
  methods: METHODS,
  anyMethod: CLOUD,
  constants: new Map<string, Value>([
    ['os.environ', shellText('$(env)')],
    ['os.environ.HOME', shellText('$HOME')],
    ['os.sep', text('/')],
    ['os.curdir', text('.')],
    ['tempfile.tempdir', TEMPORARY],
  ]),
  globals: new Map([
    ...[
      'os',
      'shutil',
      'subprocess',
      'pathlib',
      'glob',
      'tempfile',
      'requests',
      'httpx',
      'boto3',
      'sqlite3',
      'urllib',
      'json',
      'shlex',
    ].map((name): [string, string] => [name, name]),
    ['Path', 'pathlib.Path'],
    ...[
      'open',
      'exec',
      'eval',
      'str',
      'dict',
      'list',
      'tuple',
      'set',
      'sorted',
      'reversed',
      'enumerate',
      'bytes',
      '__import__',
      'getattr',
      'importlib',
    ].map((name): [string, string] => [name, name]),
  ]),
  temporaryNames: /^(?:tmp_path|tmpdir|tmp_dir|tempdir|temp_dir|tmp)$/,
}
