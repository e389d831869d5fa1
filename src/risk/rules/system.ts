// A table: exempt from the file length limit.
// The machine itself: power, processes, users, firewall, timed jobs, services.

import { type Call, findOption } from '../call.ts'
import type { RulePack, TestResult } from '../rule.ts'
import {
  all,
  always,
  argument,
  type Condition,
  hasOperands,
  not,
  operand,
  operandAt,
  option,
  optionWhere,
  subcommand,
  testByProgram,
} from '../rule-rows.ts'
import type { ShellCommand } from '../shell/execution.ts'

const WINDOWS_LINES: Readonly<Record<string, RegExp>> = {
  vssadmin: /^(?:delete|resize)\b/,
  wbadmin: /^delete\b/,
  wmic: /\b(?:delete|call terminate)\b/,
  reg: /^delete\b/,
  cipher: /\/w:/,
  icacls: /\/(?:grant|setowner|reset)\b.*(?:everyone|users|\/t\b)/,
  takeown: /\/r\b/,
  fsutil: /\b(?:deletejournal|setzerodata)\b/,
  schtasks: /\/delete\b/,
  sc: /^(?:delete|stop)\b/,
}

export const system: RulePack = {
  name: 'system',
  about: 'Shutdown, processes, users, firewall, cron jobs and services.',
  rules: [
    {
      id: 'system/power',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Shuts down or restarts the machine.',
      alternative: 'Ask the user to restart the machine.',
      owasp: 'ASI08',
      when: { program: 'shutdown reboot halt poweroff init telinit systemctl', test: stopsMachine },
      match: ['shutdown -h now', 'sudo reboot', 'systemctl poweroff', 'init 0', 'halt -p'],
      pass: ['shutdown --help', 'shutdown -c', 'systemctl status', 'init 3x', 'npm init 0'],
    },
    {
      id: 'system/fork-bomb',
      effect: 'destructive',
      tier: 5,
      reason: 'Starts processes without end until the machine stops responding.',
      owasp: 'ASI08',
      when: { whole: ({ commands }) => isForkBomb(commands) },
      match: ['f(){ f|f& }; f', 'while true; do sh & done'],
      pass: ['echo ":(){ :|:& };:"', 'f(){ echo f; }; f', 'while true; do date; sleep 1; done', 'sleep 5 &'],
    },
    {
      id: 'system/kill-all',
      effect: 'destructive',
      tier: 4,
      reason: 'Kills all processes, or a process that the machine needs.',
      alternative: 'Kill a single process by its pid.',
      owasp: 'ASI08',
      when: { program: 'kill pkill killall killall5 xkill fuser', test: killsAll },
      match: ['kill -9 -1', 'kill -KILL 1', 'pkill -9 -u root', 'killall5 -9', 'pkill -f ""', 'killall -9 systemd'],
      pass: ['kill 4242', 'pkill node', 'kill -0 1', 'kill -l', 'fuser 3000/tcp'],
    },
    {
      id: 'system/kill',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Kills processes.',
      owasp: 'ASI08',
      when: { program: 'kill pkill killall', unless: ['-0', '-l', '--list'], test: (call) => call.operands[0] },
      match: ['kill 4242', 'pkill -f vite', 'killall node'],
      pass: ['kill -l', 'kill -0 42'],
    },
    {
      id: 'system/users',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes an account, or changes users, groups or passwords.',
      alternative: 'Ask the administrator of the machine.',
      owasp: 'ASI03',
      when: {
        program:
          'userdel groupdel deluser delgroup useradd adduser usermod passwd chpasswd visudo gpasswd dscl chage vipw',
        test: (call) => changesUsers(call),
      },
      match: [
        'userdel -r bob',
        'usermod -aG sudo eve',
        'passwd -d root',
        'echo root:x | chpasswd',
        'deluser bob',
        'dscl . -delete /Users/bob',
      ],
      pass: ['passwd -S bob', 'useradd --help', 'dscl . -list /Users', 'chage -l bob', 'visudo -c'],
    },
    {
      id: 'system/firewall',
      effect: 'destructive',
      tier: 4,
      reason: 'Disables the firewall or the network of this machine, or changes their rules.',
      alternative: 'Add the single rule that is needed, and ask the user to review it.',
      owasp: 'ASI03',
      when: {
        program: 'iptables ip6tables nft ufw firewall-cmd pfctl setenforce ipfw ip ifconfig nmcli ifdown netplan',
        test: (call) => opensFirewall(call),
      },
      match: [
        'iptables -F',
        'ufw disable',
        'nft flush ruleset',
        'setenforce 0',
        'iptables -P INPUT ACCEPT',
        'pfctl -d',
        'ip link set eth0 down',
        'ip route flush table main',
        'ufw --force reset',
        'ip link delete eth0',
      ],
      pass: [
        'iptables -L -n',
        'ufw status',
        'nft list ruleset',
        'ip addr',
        'ip link show',
        'pfctl -s rules',
        'ifconfig',
        'nmcli device status',
      ],
    },
    {
      id: 'system/windows',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes backups, registry keys or free space of Windows, or opens its files to everybody.',
      alternative: 'Ask the user to do this.',
      owasp: 'ASI02',
      when: {
        program: 'vssadmin wbadmin wmic reg cipher icacls takeown fsutil schtasks sc',
        test: ({ name, command }) => {
          const line = command.args.map(({ text }) => text.toLowerCase()).join(' ')
          return WINDOWS_LINES[name]?.test(line) === true ? { at: command.span } : undefined
        },
      },
      match: [
        'vssadmin delete shadows /all',
        'wbadmin delete catalog',
        'wmic shadowcopy delete',
        'reg delete HKLM/Software /f',
        'cipher /w:C',
        'icacls C:/Windows /grant everyone:F /t',
        'takeown /f C:/Windows /r',
        'schtasks /delete /tn x /f',
        'sc delete mssql',
      ],
      pass: ['vssadmin list shadows', 'reg query HKLM/Software', 'icacls file.txt', 'sc query', 'wmic os get version'],
    },
    {
      id: 'system/cron',
      effect: 'destructive',
      tier: 4,
      reason: 'Removes or replaces all cron jobs of a user.',
      alternative: 'crontab -l prints the jobs. crontab -e edits them.',
      owasp: 'ASI02',
      when: {
        program: 'crontab atrm',
        test: (call) => {
          if (call.name === 'atrm') return call.operands[0]
          const removes = findOption(call, ['-r'])
          if (removes !== undefined) return removes.word
          const file = call.operands[0]
          return file === undefined ? undefined : { at: file.span, tier: 3 }
        },
      },
      match: ['crontab -r', 'crontab -u www-data -r', 'crontab jobs.txt'],
      pass: ['crontab -l', 'crontab -e'],
    },
    {
      id: 'system/services',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Starts, stops or disables a service.',
      owasp: 'ASI08',
      when: {
        program:
          'systemctl service launchctl rc-service supervisorctl pm2 nginx apachectl rc-update chkconfig update-rc.d sc',
        test: changesService,
      },
      match: [
        'systemctl stop nginx',
        'service postgresql restart',
        'launchctl unload x.plist',
        'nginx -s stop',
        'pm2 delete all',
        'systemctl disable --now docker',
        'systemctl mask ssh',
        'systemctl stop sshd',
      ],
      pass: [
        'systemctl status nginx',
        'service --status-all',
        'nginx -t',
        'systemctl list-units',
        'pm2 list',
        'launchctl list',
        'systemctl cat ssh',
      ],
    },
    {
      id: 'system/kernel',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Changes the running kernel or the boot configuration.',
      alternative: 'Ask the administrator of the machine.',
      owasp: 'ASI02',
      when: {
        program:
          'rmmod insmod modprobe kexec grub-install efibootmgr update-grub bcdedit nvram csrutil spctl sysctl dmsetup',
        test: (call) => changesKernel(call),
      },
      match: [
        'rmmod ext4',
        'insmod x.ko',
        'efibootmgr -b 0 -B',
        'csrutil disable',
        'sysctl -w kernel.panic=1',
        'spctl --master-disable',
        'dmsetup remove_all',
      ],
      pass: [
        'sysctl -a',
        'sysctl kernel.panic',
        'csrutil status',
        'efibootmgr',
        'modprobe -n x',
        'dmsetup ls',
        'nvram -p',
      ],
    },
    {
      id: 'system/logs',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes logs of the machine.',
      owasp: 'ASI10',
      when: {
        program: 'journalctl wevtutil history auditctl',
        test: (call) => {
          if (call.name === 'history')
            return findOption(call, ['-c'])?.word === undefined ? undefined : { at: call.command.span, tier: 3 }
          if (call.name === 'auditctl') return findOption(call, ['-D'])?.word
          if (call.name === 'wevtutil') return call.operands[0]?.text === 'cl' ? call.operands[0] : undefined
          return call.options.find(({ name }) => name.startsWith('--vacuum'))?.word
        },
      },
      match: ['journalctl --vacuum-time=1s', 'auditctl -D', 'history -c', 'wevtutil cl System'],
      pass: ['journalctl -u x', 'history', 'auditctl -l'],
    },
  ],
}

// A function that calls itself in the background, or a loop without end that leaves processes behind.
function isForkBomb(commands: readonly ShellCommand[]): TestResult {
  const bomb = commands.find(
    ({ isRecursive, isEndless, isBackground, isDormant }) => !isDormant && isBackground && (isRecursive || isEndless),
  )
  return bomb === undefined ? undefined : { at: bomb.span }
}

const POWER = new Set(['poweroff', 'reboot', 'halt', 'kexec', 'suspend', 'hibernate', 'emergency', 'rescue'])

function stopsMachine(call: Call): TestResult {
  const first = call.operands[0]
  if (call.name === 'systemctl') return first !== undefined && POWER.has(first.text) ? first : undefined
  if (call.name === 'init' || call.name === 'telinit')
    return first !== undefined && ['0', '1', '6', 's', 'S'].includes(first.text) ? first : undefined
  if (findOption(call, ['-c', '--show', '-k', '-w', '--wtmp-only']) !== undefined) return undefined
  return true
}

const VITAL_PROCESSES = new Set([
  'systemd',
  'init',
  'sshd',
  'dbus-daemon',
  'launchd',
  'WindowServer',
  'loginwindow',
  'Xorg',
  'gnome-shell',
])

function killsAll(call: Call): TestResult {
  if (findOption(call, ['-0', '-l', '--list']) !== undefined) return undefined
  if (call.name === 'killall5') return true
  if (call.name === 'kill') {
    const word = call.command.args
      .slice(1)
      .find(({ text }) => text === '-1' || text === '1' || text === '0' || text === '-0')
    return word ?? (call.operands[0]?.text === '1' ? call.operands[0] : undefined)
  }
  if (call.name === 'fuser') return undefined
  const user = call.options.find(({ name, value }) => (name === '-u' || name === '-U') && value !== undefined)
  if (user !== undefined && call.operands.length === 0) return user.word
  return call.operands.find(({ text }) => text === '' || text === '.' || text === '.*' || VITAL_PROCESSES.has(text))
}

const ADMIN_GROUPS = new Set(['sudo', 'wheel', 'admin', 'root', 'docker'])
const DSCL_CHANGES = new Set(['-delete', '-create', '-passwd', '-append'])
const addsToAdminGroup = optionWhere(({ value }) => value?.split(',').some((group) => ADMIN_GROUPS.has(group)) === true)

const changesUsers = testByProgram(
  {
    'userdel deluser groupdel delgroup': [[always, operandAt(0)]],
    passwd: [
      [option('-S', '--status'), 'pass'],
      [option('-d', '--delete', '-l', '-u'), 'hit'],
      [hasOperands, 'hit'],
      [always, { tier: 3 }],
    ],
    dscl: [[always, optionWhere(({ word }) => DSCL_CHANGES.has(word.text))]],
    chage: [[not(option('-l', '--list')), { tier: 3 }]],
    visudo: [[not(option('-c', '--check')), { isUncertain: true }]],
    'chpasswd vipw': [[always, 'hit']],
    'usermod gpasswd': [[always, (call) => addsToAdminGroup(call) ?? { at: call.command.span, tier: 3 }]],
  },
  [[hasOperands, { tier: 3 }]],
)

const opensFirewall = testByProgram({
  'iptables ip6tables': [
    [option('-L', '-S', '-C', '--list'), 'pass'],
    [option('-F', '--flush', '-X', '-P', '--policy', '-Z'), 'hit'],
    [argument('--flush'), 'hit'],
    [option('-A', '-D', '-I', '-R'), { tier: 3 }],
  ],
  nft: [[operand('flush', 'delete', 'destroy'), 'hit']],
  ufw: [
    [operand('disable', 'reset'), 'hit'],
    [subcommand('status'), 'pass'],
    [hasOperands, { tier: 3 }],
  ],
  'firewall-cmd': [[option('--panic-on', '--complete-reload'), 'hit']],
  setenforce: [[subcommand('0', 'Permissive', 'permissive'), 'hit']],
  pfctl: [[option('-d', '-F'), 'hit']],
  ip: [[operand('flush', 'down', 'del', 'delete'), 'hit']],
  ifdown: [[hasOperands, 'hit']],
  ifconfig: [[operand('down'), 'hit']],
  nmcli: [[operand('off', 'delete', 'down'), 'hit']],
  ipfw: [[operand('flush'), 'hit']],
})

const SERVICE_VERBS = new Set(
  'start stop restart reload disable enable mask unload bootout kill remove delete isolate condrestart try-restart graceful bootstrap load reload-or-restart'.split(
    ' ',
  ),
)
const LIFELINES = new Set([
  'sshd',
  'ssh',
  'networkmanager',
  'network',
  'networking',
  'systemd-networkd',
  'firewalld',
  'auditd',
  'postgresql',
  'mysql',
  'docker',
  'kubelet',
  'ufw',
])

function changesService(call: Call): TestResult {
  if (call.name === 'nginx')
    return call.options.some(({ name, word }) => name === '-s' && !word.text.includes('reopen')) ? true : undefined
  const words = call.operands
  const verb = words.find(({ text }) => SERVICE_VERBS.has(text))
  if (verb === undefined) return undefined
  const stops = ['stop', 'disable', 'mask', 'kill', 'unload', 'bootout'].includes(verb.text)
  const lifeline = words.find(({ text }) => LIFELINES.has(text.toLowerCase().replace('.service', '')))
  return stops && lifeline !== undefined ? { at: lifeline.span, isUncertain: true } : verb
}

function firstOperand(test: (text: string) => boolean): Condition {
  return ({ operands: [first] }) => first !== undefined && test(first.text)
}

const setsSysctl: Condition = (call) =>
  option('-w', '--write', '-p', '--load')(call) || firstOperand((text) => text.includes('='))(call)

const changesKernel = testByProgram(
  {
    sysctl: [
      [
        all(
          setsSysctl,
          firstOperand((text) => text.startsWith('kernel.')),
        ),
        { tier: 4 },
      ],
      [setsSysctl, { tier: 3 }],
    ],
    csrutil: [[subcommand('disable'), operandAt(0)]],
    spctl: [[option('--master-disable', '--global-disable'), 'hit']],
    efibootmgr: [[option('-B', '--delete-bootnum', '-O', '-c'), 'hit']],
    modprobe: [
      [option('-n', '--dry-run', '-D', '--show-depends'), 'pass'],
      [option('-r', '--remove'), 'hit'],
      [always, { tier: 3 }],
    ],
    dmsetup: [[firstOperand((text) => text.startsWith('remove') || text === 'wipe_table'), operandAt(0)]],
    nvram: [[option('-c', '-d'), 'hit']],
    bcdedit: [[hasOperands, 'hit']],
    'update-grub': [[always, { tier: 3 }]],
  },
  [[hasOperands, 'hit']],
)
