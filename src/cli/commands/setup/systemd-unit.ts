// The systemd unit of the managed daemon.

import { existsSync } from 'node:fs'
import type { ManagedInstall } from '../../../guard/managed-install.ts'
import { ROOT_VARIABLE } from '../../../guard/managed-install.ts'

/** Is systemd installed, so that it can run the unit now or after the next boot? */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system') || existsSync('/etc/systemd/system')
}

/** Is systemd running on this machine? */
export function isSystemdRunning(root: string): boolean {
  return root === '/' && existsSync('/run/systemd/system')
}

/**
 * The text of the unit. The daemon reads projects in home folders, so these are not hidden; it writes only to its home
 * and to temporary folders. Memory must stay executable for Node's compiler.
 */
export function unitText({ node, home, user, group, root }: ManagedInstall, arc: string): string {
  return `# Written by arc setup --managed.
[Unit]
Description=ARC: supervision of AI agents

[Service]
Type=simple
User=${user}
Group=${user}
SupplementaryGroups=${group}
ExecStart=${quoteUnit(node)} ${quoteUnit(arc)} serve --no-open
Environment=${quoteUnit(`HOME=${home}`)}${root === '/' ? '' : ` ${quoteUnit(`${ROOT_VARIABLE}=${root}`)}`}
WorkingDirectory=${home}
RuntimeDirectory=arc
RuntimeDirectoryMode=0755
UMask=0077
Restart=always
RestartSec=1
TimeoutStopSec=20
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ReadWritePaths=${quoteUnit(home)} /tmp /var/tmp
ProtectHome=read-only
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
PrivateDevices=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native

[Install]
WantedBy=multi-user.target
`
}

function quoteUnit(text: string): string {
  return /^[\w@+=:,./-]+$/.test(text)
    ? text
    : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`
}
