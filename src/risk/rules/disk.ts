// A table: exempt from the file length limit.
// Disks, partitions, volumes and the devices themselves.

import { type Call, findOption } from '../call.ts'
import { classifyPath } from '../path-class.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'

const BACKUP = 'Ask the user to check which disk this is and whether a backup exists.'

export const disk: RulePack = {
  name: 'disk',
  about: 'Disks, partitions, volumes and devices.',
  rules: [
    {
      id: 'disk/format',
      effect: 'destructive',
      tier: 5,
      reason: 'Creates a new file system and erases everything on the device.',
      alternative: BACKUP,
      owasp: 'ASI02',
      when: {
        program: [
          'mkfs',
          'mkfs.*',
          'mke2fs',
          'mkswap',
          'mkntfs',
          'mkdosfs',
          'newfs',
          'newfs_*',
          'format',
          'mkexfatfs',
          'mkreiserfs',
        ],
        unless: ['-n', '-V|--version'],
        test: (call) =>
          call.operands.find(({ text }) => !isImage(text)) ??
          (call.operands.length === 0 ? undefined : { at: call.command.span, tier: 3 }),
      },
      match: ['mkfs.ext4 /dev/sda1', 'mkfs -t xfs /dev/nvme0n1', 'mkswap /dev/sdb2'],
      pass: ['mkfs.ext4 --help', 'mkfs', 'man mkfs', 'mkfs.ext4 -n /dev/sda1'],
    },
    {
      id: 'disk/write-device',
      effect: 'destructive',
      tier: 5,
      reason: 'Writes directly to a disk and destroys the data on it.',
      alternative: BACKUP,
      owasp: 'ASI02',
      when: {
        access: ['write', 'delete'],
        test: ({ file, cwd, location }, facts) =>
          isDisk(classifyPath(file, cwd, facts, location).path) ? file : undefined,
      },
      match: [
        'dd if=/dev/zero of=/dev/sda',
        'cat x.img > /dev/sdb',
        'cp x.iso /dev/disk2',
        'echo x | tee /dev/nvme0n1',
        'shred /dev/sdc',
        'dd if=image of=/dev/mmcblk0',
      ],
      pass: [
        'dd if=/dev/sda of=backup.img',
        'echo x > /dev/null',
        'dd if=/dev/zero of=/tmp/x count=1',
        'cat /dev/sda1 | head -c 10',
        'echo x > /dev/tty1',
      ],
    },
    {
      id: 'disk/partition',
      effect: 'destructive',
      tier: 5,
      reason: 'Changes or erases the partitions of a disk.',
      alternative: `lsblk and fdisk -l show the partitions. ${BACKUP}`,
      owasp: 'ASI02',
      when: {
        program: 'fdisk cfdisk sfdisk gdisk sgdisk parted wipefs blkdiscard hdparm cgdisk gpart partprobe',
        test: changesPartitions,
      },
      match: [
        'parted -s /dev/sda mklabel gpt',
        'wipefs -a /dev/sdb',
        'sgdisk --zap-all /dev/sda',
        'sfdisk /dev/sda < layout',
        'blkdiscard /dev/nvme0n1',
        'echo d | fdisk /dev/sda',
        'parted /dev/sda rm 2',
      ],
      pass: [
        'fdisk -l',
        'parted -l',
        'parted /dev/sda print',
        'sfdisk --dump /dev/sda',
        'wipefs /dev/sda',
        'wipefs -n -a /dev/sda',
        'hdparm -I /dev/sda',
        'sgdisk -p /dev/sda',
        'sfdisk -n --delete /dev/sda',
      ],
    },
    {
      id: 'disk/volume',
      effect: 'destructive',
      tier: 5,
      reason: 'Destroys a volume, pool or array with all its data.',
      alternative: BACKUP,
      owasp: 'ASI02',
      when: {
        program: 'lvremove vgremove pvremove lvreduce lvm zpool zfs btrfs mdadm cryptsetup vgreduce',
        unless: ['-t|--test'],
        test: destroysVolume,
      },
      match: [
        'lvremove -f vg/data',
        'zpool destroy tank',
        'zfs destroy -r tank/home',
        'mdadm --zero-superblock /dev/sda1',
        'cryptsetup luksFormat /dev/sda2',
        'btrfs subvolume delete /data/x',
        'lvm vgremove old',
        'zpool labelclear /dev/sdb',
        'zfs rollback -r tank@x',
        'cryptsetup erase /dev/sda2',
        'mdadm --stop /dev/md0',
      ],
      pass: [
        'zpool status',
        'vgremove -h old',
        'zfs list',
        'lvremove --test vg/data',
        'zfs destroy -n tank/x',
        'mdadm --detail /dev/md0',
        'lvm lvs',
        'btrfs subvolume list /',
        'cryptsetup luksDump /dev/sda2',
        'zpool status destroy',
      ],
    },
    {
      id: 'disk/mac',
      effect: 'destructive',
      tier: 5,
      reason: 'Erases a disk or partition.',
      alternative: BACKUP,
      owasp: 'ASI02',
      when: {
        program: 'diskutil',
        sub: [
          'eraseDisk|eraseVolume|zeroDisk|secureErase|randomDisk|partitionDisk|reformat|erasevolume|erasedisk',
          'apfs deleteContainer|deleteVolume|eraseVolume',
        ],
      },
      match: ['diskutil eraseDisk JHFS+ X disk2', 'diskutil apfs deleteContainer disk1'],
      pass: ['diskutil list', 'diskutil info disk0', 'diskutil apfs list'],
    },
    {
      id: 'disk/unmount',
      effect: 'file-modification',
      tier: 3,
      reason: 'Unmounts a file system.',
      owasp: 'ASI02',
      when: {
        program: 'umount swapoff losetup',
        unless: ['-h|--help'],
        test: (call) =>
          call.name === 'losetup'
            ? findOption(call, ['-d', '-D', '--detach'])?.word
            : (call.operands[0] ?? findOption(call, ['-a'])?.word),
      },
      match: ['umount /mnt/data', 'swapoff -a', 'losetup -d /dev/loop0'],
      pass: ['mount', 'losetup -a', 'umount --help'],
    },
  ],
}

function isImage(path: string): boolean {
  return path.endsWith('.img') || path.endsWith('.iso') || path.endsWith('.qcow2') || path.startsWith('/tmp/')
}

const HARMLESS_DEVICES = [
  'null',
  'zero',
  'tty',
  'stdin',
  'stdout',
  'stderr',
  'fd',
  'pts',
  'shm',
  'random',
  'urandom',
  'full',
  'console',
  'tcp',
  'udp',
  'log',
  'ptmx',
  'kmsg',
  'input',
  'snd',
  'video',
  'ttys',
  'ttyusb',
  'ttyacm',
]

function isDisk(path: string): boolean {
  if (!path.startsWith('/dev/')) return false
  const name = path.slice(5).split('/')[0]?.toLowerCase() ?? ''
  return (
    name !== '' &&
    !HARMLESS_DEVICES.some((harmless) => name === harmless || (harmless.startsWith('tty') && name.startsWith(harmless)))
  )
}

const PARTED_READS = new Set(['print', 'unit', 'align-check', 'select', 'help', 'version', 'quit', 'p'])

function changesPartitions(call: Call, facts: Facts): TestResult {
  const device = call.operands.find((word) =>
    classifyPath(word, call.command.cwd, facts, call.command.location).path.startsWith('/dev/'),
  )
  if (device === undefined) return undefined
  const has = (...names: string[]) => findOption(call, names) !== undefined
  switch (call.name) {
    case 'parted':
      return has('-l', '--list')
        ? undefined
        : call.operands.slice(1).find(({ text }) => PARTED_ACTIONS.has(text) && !PARTED_READS.has(text))
    case 'wipefs':
      return has('-n', '--no-act')
        ? undefined
        : findOption(call, ['-a', '--all', '-o', '--offset', '-t', '--types'])?.word
    case 'hdparm':
      return call.options.find(
        ({ name }) =>
          name.startsWith('--security-erase') ||
          name.startsWith('--trim') ||
          name === '--yes-i-know-what-i-am-doing' ||
          name === '--write-sector' ||
          name === '--repair-sector',
      )?.word
    case 'sgdisk':
      return has('-p', '--print', '-i', '--info', '-v', '--verify', '-P', '--pretend', '-b', '--backup')
        ? undefined
        : device
    case 'partprobe':
      return undefined
    default:
      return has('-l', '--list', '-n', '--no-act', '-d', '--dump', '-J', '--json', '-s', '-V', '--verify', '-F')
        ? undefined
        : device
  }
}

const PARTED_ACTIONS = new Set([
  'rm',
  'mklabel',
  'mktable',
  'mkpart',
  'resizepart',
  'rescue',
  'set',
  'toggle',
  'name',
  'disk_set',
  'mkpartfs',
  'mkfs',
  'move',
  'resize',
])

const DESTROYERS: Readonly<Record<string, readonly string[]>> = {
  zpool: ['destroy', 'labelclear', 'offline', 'detach', 'remove'],
  zfs: ['destroy', 'rollback'],
  lvm: ['lvremove', 'vgremove', 'pvremove', 'lvreduce', 'vgreduce'],
  cryptsetup: ['luksFormat', 'erase', 'luksErase', 'luksRemoveKey', 'luksKillSlot', 'reencrypt', 'format'],
}
const MDADM = ['--zero-superblock', '--stop', '-S', '--remove', '-r', '--fail', '-f']

function destroysVolume(call: Call): TestResult {
  const sub = call.operands[0]
  if (call.name === 'mdadm') return call.options.find(({ name }) => MDADM.includes(name))?.word
  if (call.name === 'btrfs')
    return call.operands[1]?.text === 'delete' && sub?.text === 'subvolume' ? call.operands[1] : undefined
  const verbs = DESTROYERS[call.name]
  if (verbs === undefined) return sub
  return sub !== undefined && verbs.includes(sub.text) && findOption(call, ['-n']) === undefined ? sub : undefined
}
