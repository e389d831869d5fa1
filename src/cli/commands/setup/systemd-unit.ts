// The systemd unit of the managed daemon.

import { existsSync } from 'node:fs'
import type { ManagedInstall } from '../../../guard/managed-install.ts'
import { ROOT_VARIABLE } from '../../../guard/managed-install.ts'

/** Is there a systemd that could run the unit, now or after the next start of the machine? */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system') || existsSync('/etc/systemd/system')
}

/** Does systemd run this machine? */
export function isSystemdRunning(root: string): boolean {
  return root === '/' && existsSync('/run/systemd/system')
}

/**
 * The text of the unit. The daemon reads projects in other accounts' folders where it may, so these are not hidden; it
 * writes to its home and to temporary folders only. Its memory must stay executable: Node compiles while it runs.
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
