// A table: exempt from the file length limit.
// The programs that run a text as code, by how they are given it.

/** Shells. */
export const SHELL = /^(?:r?ba|da|z|k|mk|pdk|ok|lk|a|c|tc|fi|hu|ya|po|el|xon|nu)?sh(?:-?[\d.]+)?$|^nu$/

/** Interpreters, and the option before their code; without one, the code is the first operand. */
export const INTERPRETERS: readonly { readonly names: RegExp; readonly option?: RegExp }[] = [
  { names: /^(?:node|nodejs|bun|tsx|ts-node|qjs)$/, option: /^(?:-e|-p|-pe|--eval|--print)$/ },
  { names: /^deno$/, option: /^eval$/ },
  { names: /^(?:python|pypy)[\d.]*$/, option: /^-[a-zA-Z]*c$/ },
  { names: /^(?:perl|ruby|lua|luajit|osascript|Rscript|julia|elixir|guile|groovy)[\d.]*$/, option: /^-[a-zA-Z]*[eE]$/ },
  { names: /^php[\d.]*$/, option: /^-[rBRE]$/ },
  { names: /^(?:pwsh|powershell)(?:\.exe)?$/, option: /^(?:-c|-Command|-EncodedCommand|-e)$/i },
  { names: /^(?:tclsh|wish)[\d.]*$/, option: /^-c$/ },
  { names: /^(?:[gmn]?awk|busybox-awk|g?sed|jq|gojq|jaq|yq)$/ },
]

/** Programs that run their arguments or their input as code, in one way or another. */
export const REFUSED: ReadonlySet<string> = new Set([
  ...['eval', 'let', 'trap', 'alias', 'fc', 'bind', 'complete', 'compgen', 'enable', 'mapfile', 'readarray', 'coproc'],
  ...['ssh', 'slogin', 'autossh', 'rsh', 'mosh', 'su', 'runuser', 'script', 'expect', 'watch', 'entr', 'hyperfine'],
  ...['at', 'batch', 'crontab', 'parallel', 'tmux', 'screen', 'zellij', 'socat', 'nc', 'ncat', 'netcat', 'telnet'],
  ...['xterm', 'gnome-terminal', 'konsole', 'make', 'gmake', 'bmake', 'm4', 'bc', 'dc', 'gdb', 'lldb'],
  ...['vi', 'vim', 'nvim', 'view', 'ex', 'ed', 'emacs', 'emacsclient'],
  ...['sqlite3', 'psql', 'mysql', 'mariadb', 'duckdb', 'mongo', 'mongosh', 'redis-cli'],
  ...['cmd', 'cmd.exe', 'wscript', 'cscript'],
])

/** Programs that start the one after their options: letters of options with a value, and operands before the program. */
export const PREFIXES: Readonly<Record<string, { readonly values?: string; readonly operands?: number }>> = {
  sudo: { values: 'ugpCDhRrtTU' },
  doas: { values: 'uC' },
  pkexec: {},
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  env: { values: 'uC' },
  nohup: {},
  nice: { values: 'n' },
  ionice: { values: 'cnpPu' },
  chrt: { operands: 1 },
  taskset: { operands: 1 },
  timeout: { values: 'ks', operands: 1 },
  gtimeout: { values: 'ks', operands: 1 },
  time: { values: 'fo' },
  command: {},
  builtin: {},
  exec: { values: 'a' },
  xargs: { values: 'IinPLdaEs' },
  gxargs: { values: 'IinPLdaEs' },
  setsid: {},
  stdbuf: { values: 'ioe' },
  unbuffer: {},
  chronic: {},
  flock: { values: 'wE', operands: 1 },
  busybox: {},
  toybox: {},
  chroot: { operands: 1 },
  strace: { values: 'abeEIoOpPsSuX' },
  ltrace: { values: 'aAeFlnopsuwx' },
  caffeinate: { values: 'tw' },
  faketime: { operands: 1 },
}

/** Programs that start another one in a container or on its own, somewhere in their arguments. */
export const CONTAINERS: ReadonlySet<string> = new Set([
  ...['setpriv', 'unshare', 'nsenter', 'firejail', 'bwrap', 'systemd-run', 'systemd-inhibit', 'dbus-run-session'],
  ...['xvfb-run', 'rlwrap', 'docker', 'podman', 'nerdctl', 'kubectl', 'lxc', 'incus', 'machinectl', 'vagrant'],
  ...['distrobox', 'toolbox', 'flatpak-spawn', 'start-stop-daemon', 'nix-shell'],
])

/** All programs that may start another one. */
export const WRAPPING_PROGRAMS: ReadonlySet<string> = new Set([
  ...Object.keys(PREFIXES),
  ...CONTAINERS,
  ...['find', 'npx', 'bunx', 'pnpx', 'poetry', 'uv', 'bundle', 'git'],
])

/** Commands of the shell whose arguments are names of variables. */
export const DECLARING: ReadonlySet<string> = new Set([
  ...['declare', 'typeset', 'local', 'export', 'readonly', 'unset', 'read', 'getopts'],
])

/** Variables that shells and programs take code or programs from. */
export const LOADED_VARIABLES =
  /^(?:BASH_ENV|ENV|PATH|IFS|PS\d|PROMPT_COMMAND|SHELL|SHELLOPTS|BASHOPTS|LD_\w+|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|GIT_\w+|EDITOR|VISUAL|PAGER|LESSOPEN|LESSCLOSE|JAVA_TOOL_OPTIONS)$/

/** Options of various programs whose value is a command. */
export const CODE_OPTIONS =
  /^--?(?:S|to-command|checkpoint-action|use-compress-program|rsh|command|exec|eval|init-command|init-file|rcfile|upload-pack|receive-pack|pager|editor|split-string|preprocessor)(?:=|[^\w-]|$)/
