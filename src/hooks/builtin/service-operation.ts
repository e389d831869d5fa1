// Does a tool call or a text change a running service, so that its health is worth a look? Read-only uses of the same
// programs (`systemctl status`, `kubectl get`) do not. Errs towards a look: it costs a request.

import { isRecord } from '../../engine/plain-data.ts'
import { fileArguments, toolClass } from '../../engine/tools.ts'

/** What a step did to a service, in a few words; nothing when it did nothing of the kind. */
export function findServiceOperation(
  data: Readonly<Record<string, unknown>>,
  words: readonly string[],
): string | undefined {
  if (typeof data.tool === 'string') return inToolCall(data.tool, data.args, words)
  return typeof data.output === 'string' ? inText(data.output, words) : undefined
}

// Programs that run services, and what they do to them; each from the beginning of a command.
const COMMANDS: readonly RegExp[] = [
  /^(?:(?:systemctl|rc-service|supervisorctl|initctl|sv|launchctl)\s(?:.*\s)?(?:start|stop|restart|reload|try-restart|reload-or-restart|kill|daemon-reload|daemon-reexec|update|bootstrap|bootout|kickstart|isolate)\b)/,
  /^(?:service\s+\S+\s+(?:start|stop|restart|reload|force-reload)\b)/,
  /^(?:brew\s+services\s+(?:start|stop|restart|run|kill)\b)/,
  /^(?:docker(?:-compose)?\s(?:.*\s)?(?:up|down|start|stop|restart|run|kill|rm|deploy|update|rollback)\b)/,
  /^(?:podman(?:-compose)?\s(?:.*\s)?(?:up|down|start|stop|restart|run|kill|rm)\b)/,
  /^(?:kubectl\s(?:.*\s)?(?:apply|create|delete|replace|patch|scale|set|rollout\s+(?:restart|undo)|drain|cordon|uncordon)\b)/,
  /^(?:helm\s(?:.*\s)?(?:install|upgrade|rollback|uninstall)\b)/,
  /^(?:pm2\s(?:.*\s)?(?:start|stop|restart|reload|delete|kill|startOrReload|startOrRestart)\b)/,
  /^(?:(?:nginx|httpd|haproxy|caddy)\s(?:.*\s)?(?:-s\s+\w+|-k\s+\w+|reload|stop|start)\b)/,
  /^(?:(?:apachectl|apache2ctl)\s+(?:start|stop|restart|graceful|graceful-stop)\b)/,
  /^(?:(?:terraform|tofu|pulumi)\s(?:.*\s)?(?:apply|destroy|up)\b)/,
  /^(?:(?:ansible-playbook|nomad\s+job\s+run|kamal\s+\w+)\b)/,
  /^(?:(?:fly|flyctl|vercel|netlify|serverless|sls|cap|wrangler|heroku|gcloud|firebase|cdk|eb|sam|railway|dokku)\s(?:.*\s)?(?:deploy|restart|ps:restart|rollback|promote|scale)\b)/,
  /^(?:(?:kill|pkill|killall)\s(?:.*\s)?-(?:s\s+)?(?:SIG)?HUP\b)/,
  /^(?:(?:make|npm\s+run|pnpm(?:\s+run)?|yarn(?:\s+run)?|just|task|rake)\s(?:.*[\s:])?(?:deploy|restart|reload)\b)/,
  /^(?:\S*(?:deploy|restart|reload)[\w.-]*\.(?:sh|py|js|rb)\b)/,
]

// Files that services are configured by.
const CONFIG_FILE =
  /(?:^|\/)(?:etc\/.+|.+\.(?:service|socket|timer)|nginx.*\.conf|haproxy\.cfg|Caddyfile|(?:docker-)?compose[\w.-]*\.ya?ml|ecosystem\.config\.[cm]?js)$/

const WORDS =
  /\b(?:restart(?:ed|s|ing)?|(?:re)?deploy(?:ed|s|ing|ments?)?|config(?:uration)?\s+change[ds]?|reload(?:ed|s|ing)?\s+(?:the\s+)?(?:service|server|daemon|config\w*)|(?:service|server|daemon|config\w*)\s+(?:was\s+|has\s+been\s+)?reload(?:ed|s|ing)?)\b/i

// A claim is near the start or the end of an answer; what is between may be a whole file.
const MAX_READ = 20_000
const MAX_COMMAND = 2_000
const MAX_LINE = 100_000

function inToolCall(tool: string, args: unknown, words: readonly string[]): string | undefined {
  const kind = toolClass(tool)
  if (kind === 'write') {
    const file = fileArguments(args).find((path) => CONFIG_FILE.test(path))
    return file === undefined ? undefined : `config change: ${file}`
  }
  if (kind === 'read') return undefined
  for (const text of readTexts(args)) {
    const found = inCommand(text.slice(0, MAX_LINE), words)
    if (found !== undefined) return found
  }
  // Tools of a server say what they do by their name: `mcp__ops__restart_service`.
  return kind !== 'shell' && /(?:^|_)(?:restart|redeploy|deploy|reload|rollout)(?:_|$)/i.test(tool) ? tool : undefined
}

// Each simple command on its own, from its program on: `sudo`, similar programs and variables may precede it.
function inCommand(line: string, words: readonly string[]): string | undefined {
  for (const part of line.split(/[\n;&|()]+/)) {
    const command = part
      .trim()
      .slice(0, MAX_COMMAND)
      .replace(/^(?:(?:sudo|env|exec|nohup|time|command)\s+(?:-\S+\s+)*|\w+=\S*\s+)+/, '')
    // A script of init.d is named after its service.
    const program = command.replace(/^\/etc\/init\.d\//, 'service ').replace(/^(?:\S*\/)(?=[\w.-]+\s)/, '')
    const isFound = COMMANDS.some((pattern) => pattern.test(program))
    if (isFound || words.some((word) => program.toLowerCase().includes(word.toLowerCase())))
      return program.slice(0, 100)
  }
  return undefined
}

function inText(text: string, words: readonly string[]): string | undefined {
  const read = text.length <= 2 * MAX_READ ? text : `${text.slice(0, MAX_READ)}\n${text.slice(-MAX_READ)}`
  const found = WORDS.exec(read)?.[0]
  return found ?? words.find((word) => read.toLowerCase().includes(word.toLowerCase()))
}

function readTexts(args: unknown): readonly string[] {
  if (typeof args === 'string') return [args]
  if (!isRecord(args)) return []
  const command = args.command ?? args.cmd ?? args.script
  if (Array.isArray(command)) return [command.filter((part) => typeof part === 'string').join(' ')]
  return typeof command === 'string' ? [command] : []
}
