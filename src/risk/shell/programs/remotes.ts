// Programs that run commands on another machine or later, and programs that download: ssh, at, curl, nc.
// They are reported as commands, followed by the commands they run.

import type { Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import type { Code, ShellInvocation } from '../invocation.ts'
import { inputCode, isDynamic, joinCode, runsOutput } from '../nested-code.ts'
import { baseName, resolvePath } from '../paths.ts'
import { cut, type OptionSpec, readMixed, readOptions } from './options.ts'
import { computeOutput } from './printed-text.ts'

export const REMOTES: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['ssh', runRemote],
  ['mosh', runRemote],
  ['autossh', runRemote],
  ['at', runLater],
  ['batch', runLater],
  ['crontab', runCrontab],
  ['tee', runTee],
  ['cp', runCopy],
  ['mv', runCopy],
  ['install', runCopy],
  ['ln', runCopy],
  ['nc', runNetcat],
  ['ncat', runNetcat],
  ['netcat', runNetcat],
  ['socat', runSocat],
  ['ansible', runAnsible],
  ['curl', runDownload],
  ['wget', runDownload],
])

const SSH_SPEC: OptionSpec = { short: 'BbcDEeFIiJLlmOoPpQRSWw', long: ['ssh', 'predict', 'server', 'port'] }

// The words after the host are joined to a script for the remote shell. Without words, the remote shell reads the input.
function runRemote(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  const { rest } = readOptions(call.fields, SSH_SPEC)
  const after = readOptions(call.fields, SSH_SPEC, rest + 1)
  const words = call.fields.slice(after.rest)
  const code = words.length > 0 ? joinCode(words) : call.fields[rest] ? inputCode(call.input) : undefined
  shell.emit(call, words.length === 0 ? runsOutput(code) : undefined)
  runProxy(shell, call, name)
  if (!code) return undefined
  const scope = call.scope.copy()
  const isHere = OWN_HOST.test(call.fields[rest]?.text ?? '')
  scope.cwd = isHere ? scope.home : undefined
  const location = isHere ? call.frame.location : 'remote'
  return shell.runCode(words.length > 0 ? call : { ...call, input: undefined }, code, name, scope, { location })
}

// A connection to this machine runs its commands here.
const OWN_HOST =
  /^(?:ssh:\/\/)?(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[?::1\]?|\$\(hostname\)|\$\{?HOSTNAME\}?|`hostname`)(?::\d+)?$/i

// `-o ProxyCommand=…` and `-o LocalCommand=…` run here.
function runProxy(shell: ProgramPort, call: ShellInvocation, name: string): void {
  for (const [option, value] of readOptions(call.fields, SSH_SPEC).all) {
    const match = option === 'o' ? /^(?:Proxy|Local|KnownHosts)Command[= ]\s*/i.exec(value.text) : null
    if (match)
      shell.runCode({ ...call, input: undefined }, cut(value, match[0].length), `${name} -o`, call.scope.copy())
  }
}

function runLater(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  const { values } = readOptions(call.fields, { short: 'fqt' })
  const isQuery = ['l', 'r', 'd', 'c'].some((letter) => values.has(letter))
  return runInput(shell, call, isQuery || values.has('f') ? undefined : inputCode(call.input), name)
}

// Lines of a crontab: five fields of time, or @daily, then the command.
function runCrontab(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  const mixed = readMixed(call.fields, { short: 'u' })
  const isReading = mixed.operands.some((operand) => operand.text === '-' || operand.text === '/dev/stdin')
  const code = isReading ? inputCode(call.input) : undefined
  const lines = code?.text.split('\n').map((line) => line.replace(/^\s*(?:@\w+|(?:[\d*,/-]+\s+){4}[\w*,/-]+)\s+/, ''))
  return runInput(shell, call, code && lines && { ...code, text: lines.join('\n'), at: undefined }, name)
}

function runInput(shell: ProgramPort, call: ShellInvocation, code: Code | undefined, name: string): Output {
  shell.emit(call, runsOutput(code))
  if (!code) return undefined
  if (isDynamic(code)) shell.noteDynamicScript(call, code)
  else shell.runCode({ ...call, input: undefined }, code, name, call.scope.copy())
  return undefined
}

// The input of tee also goes to its files.
function runTee(shell: ProgramPort, call: ShellInvocation): Output {
  const command = shell.emit(call)
  const from = [command, ...(call.input?.from ?? [])]
  for (const field of call.fields.slice(1)) {
    if (field.isKnown && !field.text.startsWith('-')) {
      call.scope.files.set(resolvePath(call.scope.cwd, field.text), { text: call.input?.text, from })
    }
  }
  return call.input?.text
}

// A copy has the content of its original: `cp t.sh /tmp/x && sh /tmp/x`.
function runCopy(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { scope } = call
  const { operands } = readMixed(call.fields, { short: 'tSmog', long: ['target-directory', 'suffix', 'mode'] })
  const [source, target, ...others] = operands
  if (!source?.isKnown || !target?.isKnown || others.length > 0) return ''
  const content = scope.readFile(source.text)
  for (const path of [target.text, `${target.text}/${baseName(source.text)}`]) {
    const resolved = resolvePath(scope.cwd, path)
    if (content) scope.files.set(resolved, content)
    else if (shell.hasFile(call, source.text))
      scope.copies.set(resolved, resolvePath(scope.cwd, scope.copyOf(source.text)))
  }
  return ''
}

// The content of a downloaded file is unknown: `curl -o x.sh …; sh x.sh`.
function runDownload(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  const command = shell.emit(call)
  const isCurl = name === 'curl'
  const { values, operands } = readMixed(call.fields, isCurl ? CURL_SPEC : WGET_SPEC)
  const target = isCurl ? (values.get('o') ?? values.get('output')) : (values.get('O') ?? values.get('output-document'))
  const isRemoteName = isCurl ? values.has('O') || values.has('remote-name') : target === undefined
  const paths = isRemoteName
    ? operands.map((url) => url.text.replace(/[?#].*$/, '').replace(/^.*\//, ''))
    : target
      ? [target.text]
      : []
  for (const path of paths) {
    if (path !== '' && path !== '-')
      call.scope.files.set(resolvePath(call.scope.cwd, path), { text: undefined, from: [command] })
  }
  return computeOutput(call)
}

const CURL_SPEC: OptionSpec = {
  short: 'oHdXuAbceFKmQrTUwxyYzCDEPt',
  long: ['output', 'header', 'data', 'request', 'user', 'url'],
}
const WGET_SPEC: OptionSpec = {
  short: 'OoaPeiBtTwQUDXIA',
  long: ['output-document', 'output-file', 'directory-prefix', 'header'],
}

// `ncat --sh-exec script`, `nc -e program`
function runNetcat(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  shell.emit(call)
  const { values } = readMixed(call.fields, {
    short: 'egGiopPqsTwxXcmIO',
    long: ['exec', 'sh-exec', 'lua-exec', 'source', 'proxy'],
  })
  const code = values.get('sh-exec') ?? values.get('exec') ?? values.get('e') ?? values.get('c')
  if (code && !code.text.startsWith('-'))
    shell.runCode({ ...call, input: undefined }, code, `${name} -e`, call.scope.copy())
  return undefined
}

// `EXEC:program,option` and `SYSTEM:script,option`
function runSocat(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  for (const field of call.fields.slice(1)) {
    const match = /^(?:EXEC|SYSTEM|SHELL):(["']?)/i.exec(field.text)
    if (!match) continue
    const inner = cut(field, match[0].length)
    const end = match[1] ? inner.text.indexOf(match[1]) : inner.text.indexOf(',')
    const code = { ...inner, text: end < 0 ? inner.text : inner.text.slice(0, end) }
    shell.runCode({ ...call, input: undefined }, code, 'socat', call.scope.copy())
  }
  return undefined
}

const SHELL_MODULES = new Set([
  'shell',
  'command',
  'raw',
  'ansible.builtin.shell',
  'ansible.builtin.command',
  'ansible.builtin.raw',
])

function runAnsible(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { values } = readMixed(call.fields, {
    short: 'maiuefklMTtB',
    long: ['module-name', 'args', 'inventory', 'user'],
  })
  const module = values.get('m') ?? values.get('module-name')
  const code = values.get('a') ?? values.get('args')
  const scope = call.scope.copy()
  scope.cwd = undefined
  if (code && (!module || SHELL_MODULES.has(module.text)))
    shell.runCode(call, code, 'ansible', scope, { location: 'remote' })
  return undefined
}
