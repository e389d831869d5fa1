// `npm run walk`: a new user's way through ARC with the real Claude Code, in a real terminal and headless, against a
// scripted model on loopback. Writes the screens to docs/walk and prints the number of commands and the time.
// Needs tmux, git and the npm registry; the client is installed into the temporary folder once.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startModel } from './scripted-model/server.mjs'
import { planWalk, readLastResult } from './walk/plan.mjs'
import { openTerminal } from './walk/terminal.mjs'

const CLIENT = '@anthropic-ai/claude-code@2.1.325'
const KEY = 'walk-with-a-scripted-model'
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SCREENS = join(ROOT, 'docs', 'walk')

const folder = mkdtempSync(join(process.env.WALK_FOLDER ?? homedir(), 'arc-walk-'))
const home = join(folder, 'home')
const project = join(home, 'project')
const model = await startModel({ plan: planWalk })
const environment = prepare()
const terminal = openTerminal({ folder, cwd: project, environment })
const figures = { commands: 0, started: performance.now() }

try {
  await walk()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
} finally {
  spawnSync(join(folder, 'bin', 'arc'), ['stop'], { env: environment, cwd: project })
  terminal.close()
  model.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function walk() {
  await terminal.wait(/\$\s*$/)
  await say('arc install', /install.*\?/i)
  await answer('', /next|arc mode enforce/i)
  keep('1-install')
  await say('arc mode enforce', /enforce/)
  await say('claude -p "RUN: git reset --hard" --allowedTools Bash', /Done\./)
  tell('first stopped command')
  await say('arc logs', /git reset --hard/)
  keep('2-logs')
  await say('arc why', /arc allow/)
  keep('3-why')
  restart()
  await say('arc allow last --always --reason "a scratch project"', /yes/)
  await answer('yes', /allowed|exception/i)
  keep('4-allow')
  await say('claude -p "RUN: git reset --hard" --allowedTools Bash', /Done\./)
  expectResult(/HEAD is now at/)
  tell('from a wrong block to never again')
  await interactive()
  await headlessApproval()
  await say('arc report', /Since/)
  keep('8-report')
  await say('arc uninstall --all', /\$\s*$/)
  keep('9-uninstall')
}

// The person's own words pass, the command is stopped.
async function interactive() {
  await say('claude', /❯/)
  terminal.type('RUN: git push --force origin main')
  await terminal.wait(/RUN: git push --force/)
  terminal.press('Enter')
  await terminal.wait(/Blocked by ARC/)
  keep('5-interactive-block')
  terminal.type('/exit')
  await terminal.wait(/\/exit/)
  terminal.press('Enter')
  await terminal.wait(/\$\s*$/)
}

// A headless agent cannot ask: the step is refused with its id, and runs in the next session after a yes.
async function headlessApproval() {
  await say('claude -p "RUN: ./deploy.sh" --allowedTools Bash', /Done\./)
  expectResult(/arc approve/)
  keep('6-headless-refused')
  await say('arc approve', /yes/)
  await answer('yes', /approved/i)
  keep('7-approve')
  await say('claude -p "RUN: ./deploy.sh" --allowedTools Bash', /Done\./)
  expectResult(/deployed/)
}

async function say(command, pattern) {
  figures.commands++
  terminal.clear()
  await terminal.wait(/\$\s*$/)
  terminal.type(command)
  terminal.press('Enter')
  return terminal.wait(pattern)
}

async function answer(text, pattern) {
  terminal.type(text)
  terminal.press('Enter')
  await terminal.wait(pattern)
  return terminal.wait(/\$\s*$/)
}

function expectResult(pattern) {
  const last = readLastResult(model.requests)
  if (!pattern.test(last)) throw new Error(`the model got ${JSON.stringify(last)}, not ${pattern}`)
}

function restart() {
  figures.commands = 0
  figures.started = performance.now()
}

function tell(what) {
  const seconds = ((performance.now() - figures.started) / 1_000).toFixed(1)
  process.stdout.write(`${what}: ${figures.commands} commands, ${seconds} s\n`)
}

// Ids, times and folders change with every run.
function keep(name) {
  const text = terminal
    .screen()
    .replaceAll(folder, '~')
    .replace(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ID')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'SESSION')
    .replace(/\d\d:\d\d:\d\d/g, 'HH:MM:SS')
  mkdirSync(SCREENS, { recursive: true })
  writeFileSync(join(SCREENS, `${name}.txt`), `${text.replace(/[ \t]+$/gm, '')}\n`)
}

function prepare() {
  const client = installClient()
  mkdirSync(project, { recursive: true })
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'arc'), `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'bin', 'arc')} "$@"\n`, {
    mode: 0o755,
  })
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec ${client} "$@"\n`, { mode: 0o755 })
  const path = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`
  const environment = {
    HOME: home,
    PATH: path,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
    ...clientEnvironment(),
  }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(clientSettings()))
  writeFileSync(join(project, 'deploy.sh'), '#!/bin/sh\necho deployed\n', { mode: 0o755 })
  const git = (...args) => spawnSync('git', args, { cwd: project, env: environment })
  git('init', '-q', '-b', 'main')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'add', '.')
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'first')
  return environment
}

function clientEnvironment() {
  const quiet = [
    'DISABLE_TELEMETRY',
    'DISABLE_AUTOUPDATER',
    'DISABLE_ERROR_REPORTING',
    'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
  ]
  return {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: KEY,
    ...Object.fromEntries(quiet.map((name) => [name, '1'])),
  }
}

// The answers to the client's first questions: theme, key, trust in the folder.
function clientSettings() {
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] }
  return {
    ...{ hasCompletedOnboarding: true, theme: 'dark', numStartups: 3 },
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [project]: trusted },
  }
}

function installClient() {
  const cache = process.env.WALK_CLIENTS ?? join(tmpdir(), 'arc-walk-clients')
  const program = join(cache, 'node_modules', '@anthropic-ai', `claude-code-linux-${process.arch}`, 'claude')
  if (existsSync(program) && readFileSync(join(cache, 'package.json'), 'utf8').includes(CLIENT.split('@').at(-1)))
    return program
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, 'package.json'), '{"private":true}\n')
  const args = ['install', '--prefix', cache, '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', CLIENT]
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${CLIENT} could not be installed: ${stderr}`)
  return program
}
