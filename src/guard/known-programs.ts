// A table: exempt from the file length limit.
// Programs by name: agent hosts (from their facts), terminals and desktops, and programs that start or adopt
// other processes. A name alone proves nothing; src/guard/human-caller.ts has the further conditions.

import { basename } from 'node:path'
import { AGENT_FACTS } from '../hosts/facts/list.ts'
import type { ProcessDetails } from './process-table.ts'

const PROGRAMS = AGENT_FACTS.flatMap(({ programs }) => programs).join('|')
const HOST_PROGRAMS = new RegExp(`^(?:${PROGRAMS})(?:\\.(?:js|mjs|cjs|ts|exe|sh))?$`, 'i')
// Native builds have their platform in the name.
const HOST_BUILDS = new RegExp(`^(?:${PROGRAMS})-(?:x86_64|x64|aarch64|arm64|linux|darwin|win32)`, 'i')
const HOST_PACKAGES = AGENT_FACTS.flatMap(({ packagePaths }) => packagePaths.map((path) => `/${path}/`))

const INTERPRETERS =
  /^(?:node|nodejs|bun|deno|python[\d.]*|ruby|perl|sh|bash|dash|zsh|ksh|fish|ash|busybox|env|npx|npm)$/

/** Variables that agent hosts set for their child processes, with any value. */
export const AGENT_VARIABLES: readonly string[] = AGENT_FACTS.flatMap(({ variables }) => variables.markers)

/** Terminals and login programs. */
const TERMINALS = new Set([
  ...['login', 'sshd', 'sshd-session', 'sshd-auth', 'dropbear', 'mosh-server', 'agetty', 'getty', 'in.telnetd'],
  ...['gnome-terminal-', 'gnome-terminal', 'ptyxis', 'ptyxis-agent', 'kgx', 'konsole', 'yakuake', 'guake', 'tilda'],
  ...['xterm', 'uxterm', 'urxvt', 'urxvtd', 'rxvt', 'st', 'alacritty', 'kitty', 'wezterm', 'wezterm-gui', 'foot'],
  ...['footclient', 'ghostty', 'tilix', 'terminator', 'xfce4-terminal', 'lxterminal', 'qterminal', 'mate-terminal'],
  ...['terminology', 'deepin-terminal', 'cool-retro-term', 'hyper', 'tabby', 'warp', 'warp-terminal', 'rio', 'contour'],
  ...['Terminal', 'iTerm2', 'WezTerm', 'Alacritty', 'Warp', 'Ghostty', 'iTermServer'],
  ...['code', 'code-insiders', 'code-oss', 'codium', 'cursor', 'windsurf', 'zed', 'zed-editor'],
  ...['idea', 'pycharm', 'webstorm', 'goland', 'clion', 'rider', 'rubymine', 'phpstorm'],
])

const MULTIPLEXERS = /^(?:tmux|tmux: server|tmux: client|screen|SCREEN|zellij|dtach|abduco)$/

const DESKTOPS = new Set([
  ...['gnome-shell', 'gnome-session-b', 'plasmashell', 'kwin_wayland', 'kwin_x11', 'ksmserver', 'startplasma-way'],
  ...['xfce4-session', 'xfce4-panel', 'cinnamon', 'mate-session', 'lxqt-session', 'sway', 'Hyprland', 'i3', 'openbox'],
  ...['awesome', 'bspwm', 'dwm', 'river', 'niri', 'labwc', 'gdm-x-session', 'gdm-wayland-ses', 'sddm-helper', 'Finder'],
])

// They change the user and may open a terminal.
const USER_CHANGERS = new Set(['sudo', 'su', 'doas', 'pkexec', 'runuser', 'machinectl'])

// They adopt orphans, or start programs for other processes.
const PROCESS_MANAGERS = new Set([
  ...['systemd', 'init', 'tini', 'dumb-init', 'docker-init', 'catatonit', 's6-svscan', 'runit', 'runsvdir', 'launchd'],
  ...['openrc-init', 'containerd-shim', 'conmon', 'supervisord', 'cron', 'crond', 'cronie', 'anacron', 'fcron', 'atd'],
  ...['at', 'batch', 'incrond', 'inetd', 'xinetd', 'dbus-daemon', 'dbus-broker', 'systemd-executor', 'dbus-launch'],
])

const SHELLS = /^-?(?:sh|bash|dash|zsh|ksh|mksh|fish|ash|tcsh|csh|nu|busybox)$/

/** Whether it is an agent host, by its program, script or package. */
export function isAgentHost(found: ProcessDetails): boolean {
  const { program, exe = '', args } = found
  const [first = ''] = args
  const paths = [exe, first, ...(isInterpreter(found) ? findScript(args) : [])]
  const names = [program, ...paths.map((path) => basename(path))]
  return names.some((name) => HOST_PROGRAMS.test(name) || HOST_BUILDS.test(name)) || paths.some(isHostPackage)
}

function isHostPackage(path: string): boolean {
  return HOST_PACKAGES.some((part) => path.includes(part))
}

/** The words of a command line after the program, or after the script of an interpreter. */
export function readWords(found: ProcessDetails): readonly string[] {
  return found.args.slice(isInterpreter(found) ? 2 : 1)
}

function isInterpreter({ program, exe = '', args }: ProcessDetails): boolean {
  return [program, basename(exe), basename(args[0] ?? '')].some((name) => INTERPRETERS.test(name))
}

// The script of an interpreter: the first word after its options.
function findScript([, ...args]: readonly string[]): readonly string[] {
  const script = args.find((arg) => !arg.startsWith('-'))
  return script === undefined ? [] : [script]
}

/** Whether it is a terminal, a desktop or a login program. */
export function isTerminalOrDesktop({ program }: ProcessDetails): boolean {
  return TERMINALS.has(program) || DESKTOPS.has(program) || MULTIPLEXERS.test(program)
}

export function isMultiplexer({ program }: ProcessDetails): boolean {
  return MULTIPLEXERS.test(program)
}

export function isSshServer({ program }: ProcessDetails): boolean {
  return program.startsWith('sshd') || program === 'dropbear'
}

export function isUserChanger({ program }: ProcessDetails): boolean {
  return USER_CHANGERS.has(program)
}

/** Whether it adopts orphans or starts programs for others. */
export function isProcessManager({ pid, program }: ProcessDetails): boolean {
  return pid === 1 || PROCESS_MANAGERS.has(program)
}

/** Whether it is a shell. The name of a login shell begins with a dash. */
export function isShell({ program, args }: Pick<ProcessDetails, 'program' | 'args'>): boolean {
  return SHELLS.test(program) || SHELLS.test(basename(args[0] ?? ''))
}
