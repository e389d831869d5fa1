// A table: exempt from the file length limit.
// The effect of programs when no rule matches: read-only, file changes or build changes.

import { AGENT_FACTS } from '../hosts/facts/list.ts'
import type { Effect } from './assessment.ts'
import type { Call } from './call.ts'
import { findOption } from './call.ts'

const READ_ONLY_PROGRAMS = new Set(
  (
    'ls cat tac head tail less more bat grep egrep fgrep rg ag ack find fd locate tree stat file wc sort uniq cut tr awk gawk sed jq yq xq ' +
    'echo printf true false : test [ [[ pwd cd pushd popd dirs which whereis type command hash whoami id groups who w users hostname uname date cal ' +
    'uptime df du free top htop ps pgrep pstree lsof netstat ss ip ifconfig ping traceroute dig nslookup host whois env printenv locale getconf nproc ' +
    'lscpu lsblk lsusb lspci dmesg journalctl man info help apropos diff cmp comm md5sum sha1sum sha256sum shasum cksum b2sum base64 base32 xxd od hexdump strings ' +
    'basename dirname realpath readlink seq yes sleep wait jobs history alias read export set unset shift return exit break continue local declare typeset readonly let eval ' +
    'column fold fmt nl paste rev expand join look factor bc dc expr numfmt xargs time timeout nice watch tput clear reset tty stty getopts trap ulimit umask ' +
    'curl wget http dot cloc tokei scc hyperfine git-lfs openssl ssh-add nc pass'
  ).split(' '),
)

const READ_ONLY_GIT = new Set(
  'status log diff show blame reflog describe rev-parse rev-list ls-files ls-tree ls-remote shortlog grep cat-file help version whatchanged for-each-ref name-rev merge-base count-objects fsck check-ignore var archive bundle difftool'.split(
    ' ',
  ),
)
/** Subcommands of git that list without further words, or with one of these verbs, and otherwise change something. */
const LISTING_GIT: Readonly<Record<string, readonly string[]>> = {
  branch: [],
  tag: [],
  remote: ['show', 'get-url'],
  stash: ['list', 'show'],
  worktree: ['list'],
  config: ['get', 'list'],
}
const LISTING_OPTIONS = [
  '--list',
  '-l',
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '--contains',
  '--merged',
]
const CHANGING_OPTIONS = ['-d', '-D', '-m', '-M', '-c', '-C', '--delete', '--move', '--copy', '--unset', '--unset-all']

const BUILD_PROGRAMS = new Set(
  'npm pnpm yarn bun npx pip pip3 poetry uv cargo go gradle gradlew mvn mvnw make cmake ninja docker podman tsc webpack vite esbuild rollup bazel dotnet bundle gem composer conda brew apt apt-get'.split(
    ' ',
  ),
)
const NON_BUILD_VERBS = new Set(
  'test t run lint check fmt format vet exec start dev list ls view outdated why audit info show search version help doctor ps images logs'.split(
    ' ',
  ),
)
/** Programs that build without a verb. */
const COMPILERS = new Set('make cmake ninja tsc webpack esbuild rollup bazel gradle gradlew mvn mvnw'.split(' '))
const BUILD_NAME = /^(?:build|compile|bundle|dist|package|assemble)(?:$|[-_:.])/

/** The default effect of a program. */
export function findDefaultEffect(call: Call): Effect {
  const { name } = call
  const writes = call.command.redirects.some(
    ({ operator, target }) => operator.includes('>') && !operator.includes('&') && !target.text.startsWith('/dev/'),
  )
  if (writes) return 'file-modification'
  if (name === 'sed' || name === 'perl')
    return findOption(call, ['-i', '--in-place']) === undefined ? 'read-only' : 'file-modification'
  if (name === 'git') return isReadOnlyGit(call) ? 'read-only' : 'file-modification'
  if (READ_ONLY_PROGRAMS.has(name)) return 'read-only'
  if (BUILD_PROGRAMS.has(name)) return isBuild(call) ? 'build-affecting' : 'file-modification'
  if (
    call.options.length > 0 &&
    call.operands.length === 0 &&
    findOption(call, ['--version', '--help', '-V', '-v', '-h']) !== undefined
  )
    return 'read-only'
  return 'file-modification'
}

function isReadOnlyGit(call: Call): boolean {
  const [sub, ...words] = call.operands.map(({ text }) => text)
  if (sub === undefined || READ_ONLY_GIT.has(sub)) return true
  const verbs = LISTING_GIT[sub]
  if (verbs === undefined || findOption(call, CHANGING_OPTIONS) !== undefined) return false
  if (findOption(call, LISTING_OPTIONS) !== undefined || verbs.includes(words[0] ?? '')) return true
  // `git stash` alone stashes; `git config KEY` alone prints the value.
  if (words.length === 0) return sub !== 'stash'
  return sub === 'config' && words.length === 1
}

// `npm run build`, `yarn build`, `make`, `tsc`; not `make test` or `tsc --noEmit`.
function isBuild(call: Call): boolean {
  const [first, second] = call.operands.map(({ text }) => text)
  if (findOption(call, ['--noEmit', '--version', '--help']) !== undefined) return false
  if (first === undefined) return COMPILERS.has(call.name)
  if (BUILD_NAME.test(first)) return true
  if (first === 'run' || first === 'buildx') return second !== undefined && BUILD_NAME.test(second)
  return !NON_BUILD_VERBS.has(first)
}

// Developer tools: a word like `delete` in their arguments is usually a name.
const DEVELOPER_TOOLS = new Set(
  (
    'npm npx pnpm pnpx yarn bun bunx node deno python python2 python3 ruby perl php java go cargo rustc make gmake ninja just task cmake mvn gradle gradlew ' +
    'pytest jest vitest mocha playwright cypress tsc eslint prettier biome ruff black mypy rspec phpunit tox nox poetry uv pip pip3 pipx conda gem bundle composer dotnet swift ' +
    'git hg svn jj docker podman kubectl helm terraform tofu arc vim vi nvim nano emacs code open xdg-open sh bash zsh dash ksh fish source . sudo su ssh scp rsync sftp ' +
    'mkdir touch cp mv ln chmod chown tar zip unzip gzip gunzip tee install patch brew apt apt-get dnf yum pacman apk snap redis-cli mongosh psql mysql sqlite3 tmux screen ' +
    'aider ollama convert ffmpeg magick rm rmdir unlink shred find kind minikube k3d colima man trap notify-send say logger mail ' +
    AGENT_FACTS.flatMap(({ programs }) => programs).join(' ')
  ).split(' '),
)

/** Whether nothing is known about the program. */
export function isUnknownProgram(name: string): boolean {
  return (
    !READ_ONLY_PROGRAMS.has(name) &&
    !BUILD_PROGRAMS.has(name) &&
    !DEVELOPER_TOOLS.has(name) &&
    /^[a-z][a-z0-9_-]*$/.test(name)
  )
}
