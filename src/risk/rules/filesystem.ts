// A table: exempt from the file length limit.
// Deleting and overwriting files and folders, and changing their permissions. What counts is where they are: see path-class.ts.

import type { Tier } from '../assessment.ts'
import { type Call, findOption, optionValue } from '../call.ts'
import { classifyPath, isWithin, type PathClass } from '../path-class.ts'
import type { Facts, Hit, RulePack, TestResult } from '../rule.ts'
import type { Word } from '../shell/execution.ts'

const DELETERS = 'rm rimraf srm del-cli'
const RECURSIVE = ['-r', '-R', '--recursive']

const EVERYTHING: readonly PathClass[] = ['root', 'home', 'above']

export const filesystem: RulePack = {
  name: 'filesystem',
  about: 'Deleting and overwriting files and folders, and changing their permissions.',
  rules: [
    {
      id: 'filesystem/delete-everything',
      effect: 'destructive',
      tier: 5,
      reason: 'Deletes the whole disk, a whole home folder or a folder that the system needs.',
      alternative: 'Delete one folder inside the project, by name.',
      owasp: 'ASI02',
      when: {
        program: DELETERS,
        test: (call, facts) =>
          deletesTree(
            call,
            facts,
            (kind, path) => EVERYTHING.includes(kind) || (kind === 'system' && countDepth(path) < 2),
          ),
      },
      match: ['rm -rf /', 'rm -r --force "$HOME"/', 'rm --rec /usr', 'rm -fr ../..', 'rm -rf ~/*', 'sudo rm -rf /var'],
      pass: ['rm -rf node_modules', 'rm /etc/motd', 'rm --help', 'rm -rf /usr/local/share/thing', 'echo rm -rf /'],
    },
    {
      id: 'filesystem/delete-outside',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a folder outside the project. There is no copy of it.',
      alternative: 'Rename it first (mv folder folder.old), or ask the user to delete it.',
      owasp: 'ASI02',
      when: {
        program: DELETERS,
        test: (call, facts) =>
          deletesTree(
            call,
            facts,
            (kind, path) =>
              kind === 'outside' ||
              kind === 'in-home' ||
              kind === 'device' ||
              (kind === 'system' && countDepth(path) >= 2),
          ),
      },
      match: [
        'rm -rf /data/backups',
        'rm -Rf ~/work/notes',
        'rm -r -f /tmp/../opt/app',
        'rm -rf /var/lib/mysql',
        'rm -rf "$HOME/.config"',
      ],
      pass: [
        'rm -rf /tmp/work',
        'rm -rf ./src',
        'rm -rf "$TMPDIR/x"',
        'rm -rf ~/work/app/node_modules',
        'rm /data/one.txt',
      ],
    },
    {
      id: 'filesystem/delete-project',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes the whole project or its git data, including uncommitted work.',
      alternative: 'Delete single folders by name. git clean -n lists untracked files.',
      owasp: 'ASI02',
      when: {
        program: DELETERS,
        test: (call, facts) => deletesTree(call, facts, (kind) => kind === 'workspace' || kind === 'repository'),
      },
      match: ['rm -rf .', 'rm -rf *', 'rm -rf ./.*', 'rm -rf .git', 'rm -r "$PWD"', 'rm -rf "$(pwd)"/*'],
      pass: ['rm -rf dist/*', 'rm -rf src/old', 'rm *', 'rm -f .gitignore'],
    },
    {
      id: 'filesystem/delete-unknown',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a folder whose path is only known at run time. An empty variable could make it any folder.',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: shell syntax, not a template.
      alternative: 'Write the full path, or make an empty variable an error: ${dir:?}.',
      owasp: 'ASI02',
      when: { program: DELETERS, test: deletesUnknown },
      match: ['rm -rf "$DIR"', 'rm -rf $TARGET/*'],
      pass: ['rm -rf "$(mktemp -d)"', 'rm -rf "$TMPDIR/cache"', 'rm -rf $ROOT/node_modules', 'rm "$FILE"'],
    },
    {
      id: 'filesystem/delete-folder',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes a folder of the project that is not a build folder.',
      alternative: 'git rm -r keeps committed files. Move other files to a temporary folder.',
      owasp: 'ASI02',
      when: {
        program: DELETERS,
        test: (call, facts) => deletesTree(call, facts, (kind) => kind === 'inside' || kind === 'temp-root'),
      },
      match: ['rm -rf src', 'rm -r docs/old', 'rm -rf /tmp/*'],
      pass: ['rm -rf dist', 'rm -rf /tmp/a', 'rm -r packages/a/node_modules', 'rm src/a.ts'],
    },
    {
      id: 'filesystem/delete-file',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes files.',
      alternative: 'git rm keeps committed files. Move other files to a temporary folder.',
      owasp: 'ASI02',
      when: { program: `${DELETERS} unlink`, test: deletesFile },
      match: ['rm notes.txt', 'rm -f a.txt b.txt', 'unlink data.db', 'rm /etc/passwd'],
      pass: ['rm /tmp/a.txt', 'rm -f dist/app.js', 'rm -rf src', 'rm --version'],
    },
    {
      id: 'filesystem/empty-file',
      effect: 'destructive',
      tier: 3,
      reason: 'Empties or shortens a file. The content is lost.',
      alternative: 'Copy the file first (cp file file.old).',
      owasp: 'ASI02',
      when: { program: 'truncate', test: shortensFile },
      match: ['truncate -s 0 app.log', 'truncate --size=0 data.db', 'truncate -s -100 notes.txt', 'truncate -s0 a b'],
      pass: ['truncate -s 10M disk.img', 'truncate -s +1K a', 'truncate -s 0 /tmp/x', 'truncate --help'],
    },
    {
      id: 'filesystem/shred',
      effect: 'destructive',
      tier: 4,
      reason: 'Overwrites files so that they cannot be recovered.',
      alternative: 'Back up, then use rm, if the content is not secret.',
      owasp: 'ASI02',
      when: { program: 'shred wipe', test: (call, facts) => firstUnsafe(call, facts) },
      match: ['shred -u secrets.txt', 'shred -n 3 /srv/db.sqlite', 'wipe -rf data'],
      pass: ['shred --help', 'shred -u /tmp/key'],
    },
    {
      id: 'filesystem/find-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes every file and folder that find matches.',
      alternative: 'Run it with -print first. Narrow it with -name, or name the folder.',
      owasp: 'ASI02',
      when: { program: 'find gfind bfs fd fdfind', test: findDeletes },
      match: [
        'find . -delete',
        'find . ! -name keep -delete',
        'find src -type f -exec rm {} +',
        'find / -name core -delete',
        'find . -type f -execdir shred -u {} \\;',
        'fd . -x rm -rf',
      ],
      pass: [
        'find . -name "*.tmp" -print',
        'find /tmp/work -delete',
        'find . -exec grep -l x {} +',
        'find node_modules -delete',
        'find . -ok rm {} \\;',
        'fd pattern',
      ],
    },
    {
      id: 'filesystem/overwrite-system',
      effect: 'destructive',
      tier: 4,
      reason: 'Overwrites a file that the system or a database needs.',
      alternative: 'Change a copy in the project, show the diff, and ask the user to install it.',
      owasp: 'ASI02',
      when: {
        access: ['write', 'delete'],
        test: ({ file, cwd, location, isAppend, by, kind }, facts) => {
          const { path } = classifyPath(file, cwd, facts, location)
          if (by === 'touch' || (kind === 'delete' && by !== 'mv')) return undefined
          if (isVital(path)) return { at: file.span, tier: isAppend && !isFatalAppend(path) ? 3 : 4 }
          return undefined
        },
      },
      match: [
        'echo x > /etc/passwd',
        'tee /etc/fstab < new',
        'truncate -s 0 /var/lib/postgresql/data.db',
        'cp /dev/null /etc/sudoers',
        'echo c > /proc/sysrq-trigger',
        'chmod 000 /etc/shadow',
        'mv /usr/bin/env /tmp',
        { tool: 'Write', args: { file_path: '/etc/passwd', content: 'x' } },
      ],
      pass: [
        'echo x > notes.txt',
        'cat /etc/passwd',
        'cp /etc/passwd /tmp/copy',
        'truncate -s 0 app.log',
        'echo > /dev/null',
      ],
    },
    {
      id: 'filesystem/write-system',
      effect: 'file-modification',
      tier: 3,
      reason: 'Changes a file outside the project.',
      alternative: 'Keep the change in the project, and ask the user to install it.',
      owasp: 'ASI02',
      when: {
        access: ['write'],
        test: ({ file, cwd, location }, facts) => {
          if (location !== 'local') return undefined
          const { pathClass, path } = classifyPath(file, cwd, facts)
          return (pathClass === 'system' || pathClass === 'outside') && !isVital(path) && !path.startsWith('/var/log/')
            ? file
            : undefined
        },
      },
      match: [
        'echo x > /etc/motd',
        'cp app /usr/local/bin/app',
        { tool: 'Edit', args: { file_path: '/opt/app/config.yml' } },
      ],
      pass: ['echo x > out.txt', 'cp a /tmp/b', { tool: 'Write', args: { file_path: 'src/a.ts', content: '' } }],
    },
    {
      id: 'filesystem/move-everything',
      effect: 'destructive',
      tier: 5,
      reason: 'Moves the system, a home folder or the whole project.',
      alternative: 'Move one file or folder, by name.',
      owasp: 'ASI02',
      when: {
        program: 'mv',
        test: (call, facts) => {
          const sources = call.operands.slice(0, -1)
          for (const word of sources) {
            const { pathClass, path } = classifyPath(word, call.command.cwd, facts, call.command.location)
            if (EVERYTHING.includes(pathClass) || (pathClass === 'system' && countDepth(path) < 2)) return word
          }
          const target = call.operands.at(-1)
          if (target?.text === '/dev/null' && sources.length > 0) return { at: target.span, tier: 4 }
          return undefined
        },
      },
      match: ['mv /* /tmp', 'mv ~ /tmp/old', 'mv /etc /etc.bak', 'mv src /dev/null'],
      pass: ['mv a b', 'mv ~/a.txt .', 'mv /tmp/x y'],
    },
    {
      id: 'filesystem/open-permissions',
      effect: 'destructive',
      tier: 4,
      reason: 'Changes permissions or owners of the system, of a home folder or of a whole tree.',
      alternative: 'Change only the file that needs it, with the smallest permission (chmod u+x file).',
      owasp: 'ASI03',
      when: { program: 'chmod chown chgrp setfacl chattr', test: changesWidely },
      match: [
        'chmod -R 777 /',
        'chown -R me /usr',
        'chmod --recursive 000 ~',
        'chmod 777 /etc',
        'chmod -R 777 /var/www/app',
        'chown -R nobody:nobody /srv/other',
      ],
      pass: ['chmod 755 script.sh', 'chmod -R u+w src', 'chown me file', 'chmod +x /tmp/a'],
    },
    {
      id: 'filesystem/set-uid',
      effect: 'file-modification',
      tier: 4,
      reason: "Sets the set-uid or set-gid bit: every user runs the program with its owner's rights.",
      owasp: 'ASI03',
      when: { program: 'chmod', test: ({ operands }) => (isSetUid(operands[0]?.text ?? '') ? operands[0] : undefined) },
      match: ['chmod u+s /bin/bash', 'chmod 4755 tool', 'chmod +s tool'],
      pass: ['chmod 755 tool', 'chmod +x tool', 'chmod 0644 tool'],
    },
    {
      id: 'filesystem/open-everybody',
      effect: 'file-modification',
      tier: 3,
      reason: 'Makes files writable for every user of the machine.',
      alternative: 'Use chmod u+rwx to give access to the owner only.',
      owasp: 'ASI03',
      when: {
        program: 'chmod',
        test: ({ operands }) =>
          ['777', '0777', 'a+rwx', '666', 'o+w', 'a+w'].includes(operands[0]?.text ?? '') ? operands[0] : undefined,
      },
      match: ['chmod 777 run.sh', 'chmod -R a+rwx storage'],
      pass: ['chmod 755 run.sh', 'chmod 644 a'],
    },
  ],
}

function isRecursive(call: Call): boolean {
  return call.name === 'rimraf' || call.name === 'del-cli' || findOption(call, RECURSIVE) !== undefined
}

function deletesTree(call: Call, facts: Facts, isMeant: (kind: PathClass, path: string) => boolean): TestResult {
  if (!isRecursive(call)) return undefined
  for (const word of call.operands) {
    // `rm -rf ""` deletes nothing.
    if (word.text === '' && word.isKnown) continue
    const { pathClass, path } = classifyPath(word, call.command.cwd, facts, call.command.location)
    if (!isMeant(pathClass, path)) continue
    if (isThrowaway(call)) return { at: word.span, tier: 2 }
    // Known not to be under version control: nothing keeps a copy, and a person should say.
    if (pathClass === 'inside' && facts.isTracked?.(path) === false) {
      return { at: word.span, tier: 4, isUncertain: true, reason: UNTRACKED }
    }
    return word
  }
  return undefined
}

const UNTRACKED = 'Deletes an untracked folder of the project. There is no copy of it.'

// A container that is made for one command and removed after it loses nothing.
function isThrowaway(call: Call): boolean {
  return call.command.location === 'container' && call.command.via.some((step) => step.endsWith(' run'))
}

function deletesUnknown(call: Call, facts: Facts): TestResult {
  if (!isRecursive(call)) return undefined
  for (const word of call.operands) {
    const { pathClass } = classifyPath(word, call.command.cwd, facts, call.command.location)
    if (pathClass === 'unknown' && word.text !== '{}') return { at: word.span, isUncertain: true }
  }
  if (
    call.operands.length === 0 &&
    call.command.via.some((step) => step.startsWith('xargs') || step.startsWith('parallel'))
  ) {
    return { at: call.command.span, isUncertain: true }
  }
  return undefined
}

function deletesFile(call: Call, facts: Facts): TestResult {
  if (call.name !== 'unlink' && isRecursive(call)) return undefined
  let gravest: Hit | undefined
  for (const word of call.operands) {
    const tier = fileTier(word, call, facts)
    if (tier !== undefined && tier > (gravest?.tier ?? 0)) gravest = { at: word.span, tier }
  }
  return gravest
}

function fileTier(word: Word, call: Call, facts: Facts): Tier | undefined {
  const { pathClass, path, isAll } = classifyPath(word, call.command.cwd, facts, call.command.location)
  if (pathClass === 'temp' || pathClass === 'build') return undefined
  if (pathClass === 'device' || isVital(path)) return 4
  return isAll && (EVERYTHING.includes(pathClass) || pathClass === 'system') ? 4 : 3
}

// `-s 0` empties, `-s -100` and `-s <100` shorten. Other sizes are usually those of a new image file.
function shortensFile(call: Call, facts: Facts): TestResult {
  const size = optionValue(call, ['-s', '--size']) ?? ''
  return /^(?:0|[-</%].*)$/.test(size) ? firstUnsafe(call, facts) : undefined
}

function firstUnsafe(call: Call, facts: Facts): TestResult {
  for (const word of call.operands) {
    const { pathClass } = classifyPath(word, call.command.cwd, facts, call.command.location)
    if (pathClass === 'temp' || pathClass === 'build') continue
    return pathClass === 'device' || EVERYTHING.includes(pathClass) ? { at: word.span, tier: 5 } : word
  }
  return undefined
}

function countDepth(path: string): number {
  return path.split('/').filter((part) => part !== '' && part !== '*').length
}

// What a machine does not start without, or a database does not survive.
const VITAL = [
  ...[
    '/etc/passwd',
    '/etc/shadow',
    '/etc/group',
    '/etc/gshadow',
    '/etc/sudoers',
    '/etc/sudoers.d',
    '/etc/fstab',
    '/etc/crypttab',
  ],
  ...[
    '/etc/resolv.conf',
    '/etc/pam.d',
    '/etc/ssh',
    '/etc/ld.so.preload',
    '/etc/nsswitch.conf',
    '/etc/inittab',
    '/etc/systemd/system.conf',
  ],
  ...[
    '/boot',
    '/bin',
    '/sbin',
    '/lib',
    '/lib64',
    '/usr/bin',
    '/usr/sbin',
    '/usr/lib',
    '/var/lib',
    '/proc',
    '/sys',
    '/efi',
  ],
]

function isVital(path: string): boolean {
  return (
    VITAL.some((vital) => isWithin(path, vital)) &&
    !path.startsWith('/var/lib/apt/lists') &&
    !path.startsWith('/proc/self/fd')
  )
}

function isFatalAppend(path: string): boolean {
  return (
    path.startsWith('/proc/') ||
    path.startsWith('/sys/') ||
    path === '/etc/sudoers' ||
    path === '/etc/passwd' ||
    path === '/etc/shadow' ||
    path.startsWith('/etc/sudoers.d')
  )
}

const NARROWING = new Set(
  (
    '--name --iname --path --ipath --wholename --regex --iregex --mtime --atime --ctime --mmin --amin --cmin --newer --size ' +
    '--empty --user --group --perm --inum --samefile --links --lname --nouser --nogroup --uid --gid --newermt'
  ).split(' '),
)
const REMOVERS = new Set(['rm', 'shred', 'unlink', 'rimraf', 'srm', 'wipe', 'trash'])

function findDeletes(call: Call, facts: Facts): TestResult {
  const args = call.command.args
  const action = call.name.startsWith('fd') ? fdRemoval(args) : findRemoval(args)
  if (action === undefined) return undefined
  const isNarrow = call.name.startsWith('fd')
    ? call.operands.some(({ text }) => text !== '.' && !REMOVERS.has(text))
    : isNarrowed(args)
  const roots = searchRoots(args)
  const kinds = roots.map((word) => classifyPath(word, call.command.cwd, facts, call.command.location).pathClass)
  if (roots.length === 0) kinds.push('workspace')
  if (kinds.every((kind) => kind === 'temp' || kind === 'build' || kind === 'temp-root')) return undefined
  if (kinds.some((kind) => EVERYTHING.includes(kind) || kind === 'system'))
    return { at: action.span, tier: isNarrow ? 4 : 5 }
  if (kinds.some((kind) => kind === 'unknown')) return { at: action.span, isUncertain: true }
  if (isNarrow) return { at: action.span, tier: 3 }
  return { at: action.span, tier: 4 }
}

function fdRemoval(args: readonly Word[]): Word | undefined {
  const at = args.findIndex(
    ({ text }) => text === '-x' || text === '-X' || text === '--exec' || text === '--exec-batch',
  )
  return at >= 0 && args.slice(at).some(({ text }) => REMOVERS.has(text)) ? args[at] : undefined
}

function findRemoval(args: readonly Word[]): Word | undefined {
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as Word
    if (word.text === '-exec' || word.text === '-execdir') {
      const end = endOfExec(args, index)
      if (args.slice(index + 1, end).some((part) => REMOVERS.has(baseName(part.text)))) return word
      index = end
    } else if (word.text === '-ok' || word.text === '-okdir') {
      index = endOfExec(args, index)
    } else if (word.text === '-delete') return word
  }
  return undefined
}

// The part up to `;` or `{} +` belongs to the command that find runs.
function endOfExec(args: readonly Word[], from: number): number {
  for (let index = from + 1; index < args.length; index++) {
    const text = args[index]?.text
    if (text === ';' || text === '\\;' || (text === '+' && args[index - 1]?.text === '{}')) return index
  }
  return args.length
}

function isNarrowed(args: readonly Word[]): boolean {
  return args.some(({ text }, index) => {
    if (!NARROWING.has(`-${text}`) || ['*', '**', '.*', '*.*'].includes(args[index + 1]?.text ?? '')) return false
    // All but one name is nearly everything.
    const before = args[index - 1]?.text
    return before !== '-not' && before !== '!' && before !== '\\!'
  })
}

function searchRoots(args: readonly Word[]): Word[] {
  const roots: Word[] = []
  for (const word of args) {
    if (word.text === '-H' || word.text === '-L' || word.text === '-P') continue
    if (word.text.startsWith('-') || word.text === '(' || word.text === '!') break
    roots.push(word)
  }
  return roots
}

function baseName(text: string): string {
  return text.slice(text.lastIndexOf('/') + 1)
}

function changesWidely(call: Call, facts: Facts): TestResult {
  const isDeep = findOption(call, ['-R', '--recursive']) !== undefined
  for (const word of call.operands.slice(1)) {
    const { pathClass, path } = classifyPath(word, call.command.cwd, facts, call.command.location)
    if (EVERYTHING.includes(pathClass) || (pathClass === 'system' && countDepth(path) < 2))
      return { at: word.span, tier: isDeep ? 5 : 4 }
    if (isDeep && (pathClass === 'system' || pathClass === 'outside' || isVital(path))) return word
  }
  return undefined
}

function isSetUid(mode: string): boolean {
  if (/^[0-7]{4}$/.test(mode)) return mode[0] === '4' || mode[0] === '6' || mode[0] === '2'
  return (mode.includes('+') || mode.includes('=')) && mode.slice(mode.search(/[+=]/)).includes('s')
}
