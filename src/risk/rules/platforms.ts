// A table: exempt from the file length limit.
// Hosting, code forges and other services with their own command line, and HTTP calls that delete.

import { type Call, findOption, optionValue } from '../call.ts'
import { compileNames, type RulePack, type TestResult } from '../rule.ts'

const LOOK = 'List or show it first. Ask the user to delete it.'

// Services whose data is shared or hard to get back. What they call deleting is much the same everywhere.
const SERVICES =
  'heroku fly flyctl vercel vc now netlify ntl wrangler firebase supabase stripe surge pm2-deploy platform upsun dokku caprover ' +
  'vault op doppler infisical chamber bw lpass gopass pass consul-kv sentry-cli datadog-ci pd newrelic grafana-cli grafanactl gcx honeymarker ' +
  'rclone restic borg borgmatic duplicity kopia duplicacy velero tarsnap s3cmd s5cmd mc b2 swift mega-rm dropbox ' +
  'rabbitmqctl rabbitmqadmin nats kafkactl kcat rpk pulsar-admin confluent ccloud kaf nsc ' +
  'gitlab-runner circleci buildkite-agent drone jenkins-cli jenkins-cli.jar jenkins tkn woodpecker-cli travis appcenter eas expo bitrise fastlane ' +
  'algolia meilisearch typesense elasticsearch-keystore curator es opensearch-cli ldcli ld split flipt unleash configcat statsig growthbook ' +
  'deck kong apigeecli apigee fastly cf cloudflared cfcli akamai route53 dnscontrol octodns lexicon godaddy namecheap nsupdate ' +
  'sendgrid mailgun postmark twilio braintree square shopify contentful sanity strapi prismic auth0 okta clerk kcadm.sh kcadm keycloak ' +
  'mongocli atlas influx splunk promtool haproxy traefik snyk sonar jfrog jf nexus harbor ghcr tea bb hub jira linear gh glab ' +
  'hf huggingface-cli kaggle wandb mlflow dvc modal replicate runpodctl lambda dbt airflow prefect dagster astro snow databricks fauna xata convex planetscale hasura'

const REMOVE_VERBS = compileNames(
  'delete del rm remove destroy purge drop wipe erase unregister terminate revoke rb cleanup-all forget prune nuke reset uninstall ' +
    'delete-* delete_* remove-* destroy-* purge-* purge_* drop-* clear-* clear_* unregister-* *:delete *:destroy *:remove *:rm *:drop *:purge *:reset *:disable *:clear *:unset ' +
    'bulk-delete batch-delete *-delete *-destroy *-remove delete-all deleteAll force_reset reset forget_cluster_node stop_app ' +
    'unset trash obliterate decommission deactivate detach-all cancel-all void refund-all flush flush-all',
)
const READ_VERBS = new Set(
  'list ls get show describe info status view search help logs log check inspect lookup stats snapshots diff cat read export download plan validate lint test doctor whoami version explain query find history tail open config:get'.split(
    ' ',
  ),
)
const RELEASES = compileNames(
  'deploy deploy:* publish release releases:* promote push rollback ship --prod sync submit update',
)

export const platforms: RulePack = {
  name: 'platforms',
  about: 'Hosting, code hosts, secrets, backups, queues and other services.',
  rules: [
    {
      id: 'platforms/delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes data of an online service. The project has no copy of it.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: { program: SERVICES, test: (call) => serviceDeletes(call, call.operands) },
      match: [
        'heroku apps:destroy -a x',
        'fly volumes destroy vol_1',
        'vercel project rm x',
        'netlify sites:delete',
        'vault kv metadata delete secret/x',
        'op item delete x',
        'restic forget --keep-last 1 --prune',
        'rclone purge remote:x',
        'borg delete repo::a',
        'borg compact repo',
        'rabbitmqctl delete_queue q',
        'nats stream rm S',
        'gh repo delete o/r --yes',
        'glab repo delete o/r',
        'firebase firestore:delete --all-collections',
        'stripe products delete p',
        'kafkactl delete topic x',
        'splunk clean eventdata',
        'rabbitmqctl reset',
        'wrangler kv namespace delete --namespace-id x',
        'vault secrets disable kv',
        'mc rb --force m/b',
        'circleci context delete github o x',
      ],
      pass: [
        'heroku apps:info',
        'fly status',
        'gh pr list',
        'vault kv get secret/x',
        'restic snapshots',
        'borg list repo',
        'restic forget --dry-run --keep-last 1',
        'nats stream info rm',
        'gh issue create --title "delete me"',
        'wrangler d1 info delete',
        'rclone ls remote:x',
        'gh label list --search delete',
      ],
    },
    {
      id: 'platforms/rclone-sync',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes files on the target that the source does not have.',
      alternative: 'rclone copy deletes nothing. --dry-run lists the files.',
      owasp: 'ASI02',
      when: {
        program: 'rclone mc s5cmd s3cmd',
        sub: 'sync|mirror|move|moveto|bisync|delete|deletefile|rmdirs|cleanup',
        test: (call) =>
          call.name === 'rclone' || findOption(call, ['--remove', '--delete', '--delete-removed']) !== undefined
            ? call.operands[1]?.text.includes(':') || call.operands[0]?.text.startsWith('delete')
              ? call.operands[0]
              : { at: call.command.span, isUncertain: true }
            : undefined,
      },
      match: [
        'rclone sync a remote:b',
        'mc mirror --remove a m/b',
        'rclone delete remote:b',
        's3cmd sync --delete-removed a s3://b',
      ],
      pass: ['rclone copy a remote:b', 'rclone sync -n a remote:b', 'mc mirror a m/b'],
    },
    {
      id: 'platforms/kafka',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes topics, groups, records or permissions of a message queue.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: {
        program:
          'kafka-topics kafka-topics.sh kafka-consumer-groups kafka-consumer-groups.sh kafka-configs kafka-configs.sh kafka-acls kafka-acls.sh kafka-delete-records kafka-delete-records.sh kafka-streams-application-reset',
        test: (call) =>
          call.name.includes('delete-records') || call.name.includes('application-reset')
            ? true
            : (
                findOption(call, ['--delete', '--remove', '--delete-offsets', '--delete-config']) ??
                (findOption(call, ['--execute']) && findOption(call, ['--reset-offsets']))
              )?.word,
      },
      match: [
        'kafka-topics --bootstrap-server b --delete --topic t',
        'kafka-consumer-groups.sh --delete --group g',
        'kafka-consumer-groups --reset-offsets --execute --group g',
        'kafka-delete-records --offset-json-file f',
      ],
      pass: [
        'kafka-topics --list',
        'kafka-consumer-groups --describe --group g',
        'kafka-topics --describe --topic delete',
        'kafka-consumer-groups --reset-offsets --dry-run --group g',
      ],
    },
    {
      id: 'platforms/jenkins',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes jobs, builds, nodes or credentials of a build server.',
      owasp: 'ASI02',
      when: {
        program: 'java',
        test: (call) =>
          optionValue(call, ['-jar'])?.includes('jenkins') ||
          call.command.args.some(({ text }) => text.includes('jenkins-cli'))
            ? call.command.args.find(
                ({ text }) =>
                  text.startsWith('delete-') ||
                  text === 'safe-shutdown' ||
                  text === 'shutdown' ||
                  text === 'disable-job',
              )
            : undefined,
      },
      match: ['java -jar jenkins-cli.jar -s http://j/ delete-job app', 'java -jar jenkins-cli.jar delete-node n1'],
      pass: ['java -jar jenkins-cli.jar list-jobs', 'java -jar app.jar delete-all'],
    },
    {
      id: 'platforms/http-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Sends a DELETE request to a service.',
      alternative: 'Send a GET first, and ask the user to delete it.',
      owasp: 'ASI02',
      when: { program: 'curl wget http https xh', test: httpDeletes },
      match: [
        'curl -X DELETE https://api.example.com/v1/users/1',
        'curl -XDELETE localhost:9200/index',
        'curl --request DELETE -H "a: b" https://x.example/y',
        'http DELETE https://api.example.com/x',
        'curl -X POST http://es:9200/i/_delete_by_query -d @q',
        'wget --method=DELETE https://x.example/y',
      ],
      pass: [
        'curl https://x.example/delete',
        'curl -X POST https://x.example',
        'curl -X GET https://x',
        'curl -H "X: DELETE" https://x.example',
        'http GET https://x.example',
      ],
    },
    {
      id: 'platforms/graphql-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Sends a GraphQL mutation that deletes data of a service.',
      alternative: 'Send a query first, and ask the user to delete it.',
      owasp: 'ASI02',
      when: {
        program: 'curl wget http https xh curlie gh glab hasura',
        test: (call) => {
          const texts = [...call.command.args.map(({ text }) => text), call.command.input?.text ?? '']
          return texts.some(deletesByMutation) ? { at: call.command.span } : undefined
        },
      },
      match: [
        `curl https://x.example/graphql/v2 -d '{"query":"mutation { volumeDelete(volumeId: \\"x\\") }"}'`,
        `curl https://x.example/graphql --data '{"query":"mutation($id:ID!){ deleteProject(id:$id){id} }"}'`,
        `gh api graphql -f query='mutation { deleteRef(input:{refId:"x"}) { clientMutationId } }'`,
        `echo '{"query":"mutation M { a: environmentDelete(id:1) { id } }"}' | curl -d @- https://x.example/graphql`,
        "http POST https://x.example/graphql query='mutation { ok(id: 1) { id } purgeAll { ok } }'",
      ],
      pass: [
        `curl https://x.example/graphql -d '{"query":"query { deletedProjects { id } }"}'`,
        `curl https://x.example/graphql -d '{"query":"mutation { createIssue(title: \\"delete me\\") { id deleted } }"}'`,
        `gh api graphql -f query='mutation { addComment(input:{body:"wipe"}) { id } }'`,
        'curl https://x.example/docs/mutation-delete',
      ],
    },
    {
      id: 'platforms/http-destroy',
      effect: 'destructive',
      tier: 4,
      reason: 'Sends a request that destroys something of a service.',
      alternative: 'Send a GET first, and ask the user.',
      owasp: 'ASI02',
      when: { program: 'curl wget http https xh curlie', test: httpDestroys },
      match: [
        'curl -X POST https://api.example.com/v4/instances/1/rebuild',
        `curl https://api.example.com/v1/servers/1/actions -d '{"type":"destroy"}'`,
        'http POST https://api.example.com/projects/7/purge',
        'curl -X POST https://api.example.com/v1/apps/x/delete -d @-',
      ],
      pass: [
        'curl https://api.example.com/v1/apps/x/delete',
        'curl -X POST https://api.example.com/v1/apps',
        `curl https://api.example.com/issues -d '{"title":"destroy"}'`,
        `curl https://api.example.com/v1/servers/1/actions -d '{"type":"reboot"}'`,
      ],
    },
    {
      id: 'platforms/gh-api',
      effect: 'destructive',
      tier: 4,
      reason: 'Sends a DELETE request to the code host.',
      owasp: 'ASI02',
      when: {
        program: 'gh glab',
        sub: 'api',
        test: (call) =>
          call.options.find(
            ({ name, value }) => (name === '-X' || name === '--method') && value?.toUpperCase() === 'DELETE',
          )?.word,
      },
      match: ['gh api -X DELETE repos/o/r', 'glab api --method DELETE projects/1'],
      pass: ['gh api repos/o/r', 'gh api -X POST repos/o/r/issues'],
    },
    {
      id: 'platforms/forge-change',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Changes shared state on the code host: merges, archives, renames, runs or releases.',
      owasp: 'ASI02',
      when: {
        program: 'gh glab',
        sub: [
          'pr|mr merge|close',
          'repo archive|rename|edit|transfer',
          'release create|upload|edit',
          'workflow run|disable',
          'run cancel|rerun',
          'secret|variable set',
          'ruleset *',
        ],
      },
      match: ['gh pr merge 1 --squash', 'gh repo archive o/r', 'gh release create v1'],
      pass: ['gh pr view 1', 'gh release list', 'gh repo view'],
    },
    {
      id: 'platforms/deploy',
      effect: 'deploy-affecting',
      tier: 4,
      reason: 'Deploys to users.',
      alternative: 'Deploy a preview, or let CI deploy after review.',
      owasp: 'ASI02',
      when: {
        program:
          'heroku fly flyctl vercel vc netlify ntl wrangler firebase supabase surge platform upsun eas dokku cap kamal capistrano shopify convex modal',
        test: deploys,
      },
      match: [
        'fly deploy',
        'vercel --prod',
        'wrangler deploy',
        'firebase deploy --only hosting',
        'netlify deploy --prod',
        'heroku container:release web',
        'kamal deploy',
        'wrangler publish',
        'supabase db push',
      ],
      pass: [
        'fly status',
        'vercel dev',
        'wrangler dev',
        'netlify build',
        'firebase emulators:start',
        'vercel ls',
        'wrangler deploy --dry-run',
      ],
    },
    {
      id: 'platforms/secrets-shown',
      effect: 'read-only',
      tier: 3,
      reason: 'Prints secrets.',
      owasp: 'ASI03',
      when: {
        program: 'vault op doppler infisical heroku gh aws bw pass gopass lpass',
        sub: ['kv get', 'read', 'item get', 'secrets get|download', 'config|config:get', 'auth token', 'get', 'show'],
        test: (call) =>
          ['vault', 'op', 'doppler', 'infisical', 'bw', 'pass', 'gopass', 'lpass'].includes(call.name) ||
          call.operands[0]?.text === 'auth' ||
          call.operands[0]?.text.startsWith('config') === true
            ? call.operands[0]
            : undefined,
      },
      match: ['vault kv get secret/app', 'op read op://v/i/f', 'gh auth token'],
      pass: ['vault status', 'gh auth status', 'op vault list'],
    },
    {
      id: 'platforms/unknown-delete',
      effect: 'destructive',
      tier: 3,
      reason: 'Runs a delete command of an unknown program.',
      alternative: LOOK,
      owasp: 'ASI02',
      when: {
        program: '*',
        test: (call) => {
          const verb = call.operands[0]
          const isPlain = verb?.isKnown && UNKNOWN_VERBS(verb.text)
          const second = call.operands[1]
          const isSecond =
            !isPlain &&
            verb !== undefined &&
            second?.isKnown === true &&
            UNKNOWN_VERBS(second.text) &&
            !READ_VERBS.has(verb.text) &&
            /^[a-z][a-z0-9:-]*$/.test(verb.text)
          const word = isPlain ? verb : isSecond ? second : undefined
          const isBare = call.operands.at(-1) === word && call.options.length === 0
          return word === undefined || isBare ? undefined : { at: word.span, isUncertain: true }
        },
      },
      match: ['acmectl delete cluster prod', 'acmectl cluster destroy prod --yes'],
      pass: [
        'acmectl list delete',
        'acmectl delete',
        'acmectl describe destroy',
        'grep delete x',
        'pytest delete',
        './delete.sh',
        'make delete',
        'npm run delete',
      ],
    },
  ],
}

const UNKNOWN_VERBS = compileNames(
  'delete destroy purge wipe obliterate nuke terminate delete-* destroy-* purge-* *:delete *:destroy delete_* drop-database dropdb',
)

function serviceDeletes(call: Call, words: Call['operands']): TestResult {
  for (const word of words.slice(0, 4)) {
    if (READ_VERBS.has(word.text)) return undefined
    if (word.text === 'disable' && call.name === 'vault') return word
    if (call.name === 'splunk' && word.text === 'clean') return word
    if (BACKUPS.has(call.name) && BACKUP_VERBS.has(word.text)) return word
    if (!REMOVE_VERBS(word.text)) continue
    if (word.text === 'prune' && call.name === 'gh') return undefined
    return isSmall(call, word.text) ? { at: word.span, isUncertain: true } : word
  }
  return undefined
}

const BACKUPS = new Set(['borg', 'borgmatic', 'restic', 'duplicity', 'duplicacy', 'kopia', 'tarsnap'])
// After these a deleted backup cannot be brought back, or the key to all of them is gone.
const BACKUP_VERBS = new Set([
  'compact',
  'cleanup',
  'expire',
  'recreate',
  'key',
  'break-lock',
  'unlock',
  'rewrite',
  'maintenance',
])

// What can be made again in a moment, or is only local.
function isSmall(call: Call, verb: string): boolean {
  const first = call.operands[0]?.text ?? ''
  if (verb === 'uninstall' || verb === 'reset' || verb === 'deactivate' || verb === 'detach-all')
    return !['vault', 'rabbitmqctl', 'deck', 'nats'].includes(call.name)
  if (call.name === 'gh' || call.name === 'glab')
    return ['label', 'alias', 'extension', 'cache', 'codespace', 'gpg-key', 'ssh-key', 'run', 'gist', 'issue'].includes(
      first,
    )
  return first === 'alias' || first === 'plugin' || first === 'plugins' || first === 'domains-cache'
}

const HTTPIE = new Set(['http', 'https', 'xh'])
const METHOD_OPTIONS = new Set(['-X', '--request', '--method'])

function httpDeletes(call: Call): TestResult {
  const method = call.options.find(({ name, value }) => METHOD_OPTIONS.has(name) && value !== undefined)
  const verb = HTTPIE.has(call.name) ? call.operands[0]?.text : method?.value
  const url = call.operands.find(({ text }) => /:|\./.test(text))?.text ?? ''
  if (verb?.toUpperCase() !== 'DELETE' && !/_delete_by_query|\/_flush_all/.test(url)) return undefined
  const at = (method?.word ?? call.operands[0] ?? call.command).span
  // Search engines and proxies of a cluster listen on local ports, too.
  const isLocal = /localhost|127\.0\.0\.1|\[::1\]/.test(url) && !/:(?:9200|7700|8001)/.test(url)
  return isLocal ? { at, tier: 3 } : { at }
}

const DESTROYING = /^(?:delete|destroy|purge|wipe|erase|terminate|drop)/

/** Whether a text has a GraphQL mutation with a field that deletes: `deleteProject`, `volumeDelete`. */
function deletesByMutation(text: string): boolean {
  const start = text.search(/\bmutation\b/)
  return start >= 0 && topFields(text.slice(start, start + 20_000)).some(isDestroyingName)
}

// The names of the fields directly inside the mutation. Arguments and texts in quotes are skipped.
function topFields(mutation: string): readonly string[] {
  const fields: string[] = []
  let depth = 0
  let round = 0
  for (const [token] of mutation.matchAll(/\\?"(?:[^"\\]|\\[^"])*\\?"|[{}()]|[A-Za-z_]\w*/g)) {
    if (token === '(') round++
    else if (token === ')') round--
    else if (round > 0) continue
    else if (token === '{') depth++
    else if (token === '}') depth--
    else if (depth === 1 && /^\w/.test(token)) fields.push(token)
  }
  return fields
}

// `deleteProject`, `delete_project`, `projectDelete`, `project_delete`
function isDestroyingName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
  return [words[0], words.at(-1)].some((word) => word !== undefined && DESTROYING.test(word) && !/d$/.test(word))
}

function httpDestroys(call: Call): TestResult {
  const texts = call.command.args.map(({ text }) => text)
  const method = optionValue(call, [...METHOD_OPTIONS]) ?? (HTTPIE.has(call.name) ? call.operands[0]?.text : undefined)
  const hasBody = call.options.some(({ name }) => /^(?:-d|-F|--data.*|--json|--form|--post-data)$/.test(name))
  if (!(method === undefined ? hasBody : /^(?:post|put|patch)$/i.test(method))) return undefined
  const url = call.operands.find(({ text }) => /^https?:|[.:]\w+\//.test(text))
  const path = (url?.text ?? '').replace(/[?#].*$/, '').replace(/\/$/, '')
  const isLocal = /localhost|127\.0\.0\.1|\[::1\]/.test(path)
  const last = path.slice(path.lastIndexOf('/') + 1)
  const isPath = /\/.+\//.test(path) && (last === 'rebuild' || (DESTROYING.test(last) && !last.includes('.')))
  const isBody = texts.some((text) =>
    /"(?:type|action|operation|op|command)"\s*:\s*"(?:destroy|delete|terminate|purge|wipe|rebuild)"/.test(text),
  )
  if (!isPath && !isBody) return undefined
  return { at: (url ?? call.command).span, ...(isLocal && { tier: 3 as const }) }
}

const DEPLOYERS = new Set([
  'deploy',
  'publish',
  'release',
  'promote',
  'rollback',
  'redeploy',
  'container:release',
  'pipelines:promote',
  'hosting:clone',
  'submit',
  'setup',
  'machine',
])

function deploys(call: Call): TestResult {
  const [first, second] = call.operands
  const prod = findOption(call, ['--prod', '--production'])
  if (prod !== undefined) return prod.word
  if (first !== undefined && DEPLOYERS.has(first.text) && first.text !== 'machine' && first.text !== 'setup') {
    return call.name === 'netlify' || call.name === 'ntl' || call.name === 'vercel'
      ? { at: first.span, tier: 3 }
      : first
  }
  if (call.name === 'supabase')
    return ['db push', 'functions deploy', 'migration up'].includes(`${first?.text} ${second?.text}`) &&
      findOption(call, ['--local']) === undefined
      ? first
      : undefined
  return RELEASES(second?.text ?? '') && second?.text === 'deploy' ? second : undefined
}
