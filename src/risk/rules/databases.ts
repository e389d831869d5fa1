// A table: exempt from the file length limit.
// Databases: what is said to them in SQL or their own words, and the tools that reset them.

import { type Call, findOption, optionValue } from '../call.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'
import { resolvePath } from '../shell/paths.ts'
import { findSqlLoss } from '../sql.ts'

/** The clients, and the options that carry a statement; `operand` where it is one of the operands. */
const CLIENTS: Readonly<Record<string, { readonly options?: readonly string[]; readonly operand?: number }>> = {
  psql: { options: ['-c', '--command'] },
  pgcli: { options: ['-c'] },
  mysql: { options: ['-e', '--execute', '--init-command'] },
  mariadb: { options: ['-e', '--execute'] },
  mycli: { options: ['-e', '--execute'] },
  sqlite3: { options: ['--cmd'], operand: 1 },
  sqlite: { operand: 1 },
  duckdb: { options: ['-c', '-s'], operand: 1 },
  'clickhouse-client': { options: ['-q', '--query'] },
  clickhouse: { options: ['-q', '--query'] },
  cockroach: { options: ['-e', '--execute'] },
  sqlcmd: { options: ['-Q', '-q'] },
  sqlplus: {},
  isql: {},
  usql: { options: ['-c', '--command'] },
  bq: { operand: 1 },
  snowsql: { options: ['-q', '--query'] },
  snow: { options: ['-q', '--query'] },
  cqlsh: { options: ['-e', '--execute'] },
  trino: { options: ['--execute'] },
  presto: { options: ['--execute'] },
  wrangler: { options: ['--command'] },
  turso: { operand: 3 },
  databricks: {},
  athena: {},
  spanner: {},
  hive: { options: ['-e'] },
  beeline: { options: ['-e'] },
  influx: { options: ['-execute', '--execute'] },
}

const ROWS = 'Run it as a SELECT first, inside a transaction, or on a copy.'

export const databases: RulePack = {
  name: 'databases',
  about: 'SQL statements that lose data, and tools that reset databases.',
  rules: [
    {
      id: 'databases/sql-loss',
      effect: 'destructive',
      tier: 4,
      reason: 'Drops, empties or overwrites whole tables.',
      alternative: ROWS,
      owasp: 'ASI02',
      when: { program: Object.keys(CLIENTS), test: losesBySql },
      match: [
        'psql -c "DROP TABLE users"',
        "mysql -e 'truncate table logs' app",
        'sqlite3 a.db "delete from t"',
        'echo "UPDATE t SET a=1" | psql',
        'psql <<SQL\nDROP SCHEMA public CASCADE;\nSQL',
        'psql -c "DELETE FROM t WHERE 1=1"',
        "clickhouse-client -q 'DROP DATABASE x'",
        'bq query "DELETE FROM d.t WHERE true"',
        'psql -c "WITH x AS (DELETE FROM t RETURNING *) SELECT 1"',
        'wrangler d1 execute db --command "DROP TABLE t"',
      ],
      pass: [
        'psql -c "SELECT * FROM dropped"',
        'psql -c "DELETE FROM t WHERE id = 3"',
        'mysql -e "SELECT \'DROP TABLE x\'"',
        'psql -c "-- DROP TABLE x"',
        'psql -c "EXPLAIN DELETE FROM t"',
        'sqlite3 a.db .tables',
        'psql -c "UPDATE t SET a = 1 WHERE id = 2"',
        'echo "DROP TABLE x"',
        'psql -c "CREATE TABLE drop_log (id int)"',
      ],
    },
    {
      id: 'databases/client-shell',
      effect: 'destructive',
      tier: 4,
      reason: 'Runs a shell command from the database client.',
      alternative: 'Run the command directly in the shell.',
      owasp: 'ASI05',
      when: { program: 'psql mysql mariadb sqlite3', test: runsShell },
      match: [
        'psql -c "\\! rm -rf x"',
        'sqlite3 a.db ".shell ls"',
        'psql -c "COPY t TO PROGRAM \'sh x\'"',
        'mysql -e "system ls"',
        'echo "\\! id" | psql',
      ],
      pass: ['psql -c "SELECT 1"', 'sqlite3 a.db ".schema"', 'psql -c "SELECT \'a\'"'],
    },
    {
      id: 'databases/drop',
      effect: 'destructive',
      tier: 4,
      reason: 'Drops a whole database.',
      alternative: 'Back it up first (pg_dump, mysqldump), and ask the user to drop it.',
      owasp: 'ASI02',
      when: {
        program: 'dropdb dropuser mysqladmin mongorestore pg_restore pg_dropcluster pg_resetwal initdb influx',
        test: dropsDatabase,
      },
      match: [
        'dropdb app',
        'mysqladmin -u root drop app',
        'mongorestore --drop dump/',
        'pg_restore --clean -d app x.dump',
        'pg_resetwal -f /data',
        'influx delete --bucket b',
        'mysqladmin -f drop x',
      ],
      pass: [
        'pg_restore -l x.dump',
        'mysqladmin status',
        'mongorestore dump/',
        'dropdb --help',
        'pg_restore -d app x.dump',
        'influx query x',
      ],
    },
    {
      id: 'databases/redis',
      effect: 'destructive',
      tier: 4,
      reason: 'Empties the store, shuts it down or changes its persistence.',
      alternative: 'Delete single keys by name.',
      owasp: 'ASI02',
      when: { program: 'redis-cli valkey-cli keydb-cli', test: emptiesRedis },
      match: [
        'redis-cli FLUSHALL',
        'redis-cli -h h -n 2 flushdb',
        'echo FLUSHALL | redis-cli',
        'redis-cli CONFIG SET dir /tmp',
        'redis-cli shutdown nosave',
        'redis-cli EVAL "redis.call(\'FLUSHALL\')" 0',
      ],
      pass: [
        'redis-cli GET flushall',
        'redis-cli ping',
        'redis-cli -h h INFO',
        'redis-cli CONFIG GET dir',
        'redis-cli SET a FLUSHALL',
      ],
    },
    {
      id: 'databases/redis-delete',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes keys.',
      owasp: 'ASI02',
      when: {
        program: 'redis-cli valkey-cli keydb-cli',
        test: (call) =>
          ['DEL', 'UNLINK', 'XTRIM', 'LTRIM'].includes(call.operands[0]?.text.toUpperCase() ?? '')
            ? call.operands[0]
            : undefined,
      },
      match: ['redis-cli DEL a', 'redis-cli unlink b'],
      pass: ['redis-cli GET a'],
    },
    {
      id: 'databases/mongo',
      effect: 'destructive',
      tier: 4,
      reason: 'Drops collections or deletes all documents.',
      alternative: 'Count with the same filter first. Back up with mongodump.',
      owasp: 'ASI02',
      when: { program: 'mongosh mongo', test: losesDocuments },
      match: [
        'mongosh app --eval "db.dropDatabase()"',
        'mongosh --eval "db.users.drop()"',
        'mongo --eval "db.users.deleteMany({})"',
        'echo "db.users.remove({})" | mongosh app',
        'mongosh --eval "db.getCollection(\'a\').drop()"',
      ],
      pass: [
        'mongosh --eval "db.users.find()"',
        'mongosh --eval "db.users.deleteMany({old: true})"',
        'mongosh --eval "db.dropped.count()"',
      ],
    },
    {
      id: 'databases/framework-reset',
      effect: 'destructive',
      tier: 4,
      reason: "Drops the application's database and creates it again without its data.",
      alternative: 'Run only the pending migrations (migrate, migrate deploy, upgrade).',
      owasp: 'ASI02',
      when: {
        program:
          'rails rake php artisan python python3 manage.py django-admin prisma sequelize sequelize-cli typeorm knex alembic flask mix diesel sqlx drizzle-kit goose dbmate migrate flyway liquibase atlas supabase hasura ecto doctrine symfony wp drush neonctl pscale turso',
        test: resetsDatabase,
      },
      match: [
        'rails db:drop',
        'bin/rails db:reset RAILS_ENV=production',
        'php artisan migrate:fresh',
        'python manage.py flush --no-input',
        'prisma migrate reset --force',
        'prisma db push --force-reset',
        'alembic downgrade base',
        'mix ecto.drop',
        'sequelize db:drop',
        'flyway clean',
        'typeorm schema:drop',
        'migrate -path x drop',
        'supabase db reset --linked',
        'php bin/console doctrine:database:drop --force',
        'knex migrate:rollback --all',
        'wp db reset --yes',
        'liquibase drop-all',
      ],
      pass: [
        'rails db:migrate',
        'php artisan migrate',
        'python manage.py migrate',
        'prisma migrate deploy',
        'prisma generate',
        'alembic upgrade head',
        'flyway info',
        'rails console',
        'python script.py reset',
        'prisma db push',
      ],
    },
    {
      id: 'databases/unseen-script',
      effect: 'file-modification',
      tier: 3,
      reason: 'Runs statements from a file whose content is not checked.',
      owasp: 'ASI05',
      when: {
        program: 'psql mysql mariadb sqlite3',
        test: findUnseenScript,
      },
      match: ['psql -f migrate.sql', 'mysql app < dump.sql'],
      pass: ['psql -c "SELECT 1"', 'psql -l'],
    },
    {
      id: 'databases/script',
      effect: 'destructive',
      tier: 4,
      reason: 'A script of statements drops, empties or overwrites data.',
      alternative: 'Make a backup first, and run the statements inside a transaction.',
      owasp: 'ASI02',
      when: {
        language: ['sql'],
        test: ({ isFile, code, span }) => {
          const loss = isFile === true ? findSqlLoss(code) : undefined
          if (loss === undefined) return undefined
          const isExact = span.end - span.start === code.length
          const at = isExact ? { start: span.start + loss.start, end: span.start + loss.end } : span
          return { at, tier: loss.tier as 3 | 4 | 5, reason: `The script loses data: ${loss.what}.` }
        },
      },
      match: ["echo 'DROP DATABASE shop;' > a.sql; psql -f a.sql"],
      pass: ["echo 'SELECT 1;' > a.sql; psql -f a.sql", "echo 'DROP TABLE t' > notes.txt"],
    },
  ],
}

function findUnseenScript(call: Call, { files }: Facts): TestResult {
  const { command } = call
  const option = call.options.find(({ name }) => call.name === 'psql' && (name === '-f' || name === '--file'))
  const input = command.redirects.find(({ operator }) => operator === '<')?.target
  const path = option === undefined ? input?.text : option.value
  if (path !== undefined && files?.read(resolvePath(command.cwd, path)).text !== undefined) return undefined
  return option?.word ?? (command.input?.text === undefined ? input : undefined)
}

/** The input of the client: options, operand, and standard input where it is known. */
function readStatements(call: Call): string[] {
  const client = CLIENTS[call.name]
  if (client === undefined) return []
  const found: string[] = []
  for (const { name, value } of call.options)
    if (value !== undefined && client.options?.includes(name)) found.push(value)
  if (client.operand !== undefined) for (const { text } of call.operands.slice(client.operand)) found.push(text)
  if (call.command.input?.text !== undefined) found.push(call.command.input.text)
  return found
}

function losesBySql(call: Call): TestResult {
  let tier: 3 | 4 | 5 | undefined
  let what = ''
  for (const code of readStatements(call)) {
    const loss = findSqlLoss(code)
    if (loss !== undefined && loss.tier > (tier ?? 0)) {
      tier = loss.tier as 3 | 4 | 5
      what = loss.what
    }
  }
  return tier === undefined ? undefined : { at: call.command.span, tier, reason: `The statement loses data: ${what}.` }
}

function runsShell(call: Call): TestResult {
  const runs = readStatements(call).some((code) => {
    const text = code.trimStart()
    if (call.name === 'sqlite3') return text.startsWith('.shell') || text.startsWith('.system')
    if (call.name === 'psql') return text.includes('\\!') || /\bPROGRAM\s*'/i.test(text)
    return text.startsWith('system ') || text.includes('\\!')
  })
  return runs ? { at: call.command.span } : undefined
}

function dropsDatabase(call: Call): TestResult {
  switch (call.name) {
    case 'mysqladmin':
      return call.operands.find(({ text }) => text === 'drop' || text === 'shutdown')
    case 'mongorestore':
      return findOption(call, ['--drop'])?.word
    case 'pg_restore':
      return findOption(call, ['-l', '--list']) === undefined ? findOption(call, ['-c', '--clean'])?.word : undefined
    case 'influx':
      return call.operands.slice(0, 2).find(({ text }) => text === 'delete')
    case 'initdb':
      return undefined
    case 'dropdb':
      return dropsNamedDatabase(call)
    default:
      return call.operands[0] ?? true
  }
}

// A name such as `app_test` says that the database can be made again.
const DISPOSABLE_NAME = /(?:^|[_.-])(?:tests?|testing|dev|development|tmp|temp|ci|local|scratch|sandbox)(?:$|[_.-]|\d)/i

function dropsNamedDatabase({ operands, command }: Call): TestResult {
  const name = operands[0]
  if (name === undefined) return true
  return DISPOSABLE_NAME.test(name.text) ? name : { at: command.span, tier: 5 }
}

function emptiesRedis(call: Call): TestResult {
  const lines =
    call.operands.length > 0
      ? [call.operands.map(({ text }) => text).join(' ')]
      : (call.command.input?.text ?? '').split('\n')
  const isLoss = lines.some((line) => {
    const [verb = '', second = ''] = line.trim().toUpperCase().split(' ')
    if (verb === 'FLUSHALL' || verb === 'FLUSHDB' || verb === 'SHUTDOWN') return true
    if (verb === 'CONFIG') return second === 'SET' || second === 'REWRITE'
    if (verb === 'SCRIPT' || verb === 'FUNCTION' || verb === 'CLUSTER') return second === 'FLUSH' || second === 'RESET'
    return (verb === 'EVAL' || verb === 'MULTI') && line.toUpperCase().includes('FLUSH')
  })
  return isLoss ? { at: call.command.span } : undefined
}

const MONGO_LOSS = [
  '.dropdatabase(',
  '.drop(',
  '.deletemany({})',
  '.remove({})',
  '.dropindexes(',
  '.deletemany()',
  '.dropcollection(',
  '.dropuser(',
  '.droprole(',
  '.dropallusersfromdatabase(',
  '.shutdownserver(',
]

function losesDocuments(call: Call): TestResult {
  const code = `${optionValue(call, ['--eval']) ?? ''}\n${call.command.input?.text ?? ''}`
    .toLowerCase()
    .replaceAll(' ', '')
  return MONGO_LOSS.some((loss) => code.includes(loss)) ? { at: call.command.span } : undefined
}

const RESET_VERBS = new Set(
  (
    'db:drop db:reset db:wipe db:purge migrate:fresh migrate:reset migrate:refresh db:schema:load db:migrate:reset flush reset_db schema:drop ' +
    'doctrine:database:drop doctrine:schema:drop ecto.drop ecto.reset db:drop:all clean drop drop-all dropall db:truncate_all sql-drop site:install'
  ).split(' '),
)

// Words that mean a reset for one tool only; elsewhere they are ordinary.
const RESET_PATHS: Readonly<Record<string, readonly string[]>> = {
  prisma: ['migrate reset'],
  supabase: ['db reset'],
  diesel: ['database reset', 'migration revert'],
  sqlx: ['database drop', 'database reset'],
  alembic: ['downgrade base'],
  flask: ['db downgrade'],
  hasura: ['migrate delete'],
  knex: ['migrate:rollback'],
  wp: ['db reset', 'db drop', 'db clean', 'site empty', 'site delete'],
  atlas: ['schema clean'],
  goose: ['reset', 'down-to'],
  dbmate: ['drop'],
  liquibase: ['drop-all', 'dropAll'],
  'drizzle-kit': ['drop'],
  neonctl: ['projects delete', 'branches delete', 'databases delete'],
  pscale: ['database delete', 'branch delete'],
  turso: ['db destroy', 'group destroy'],
  drush: ['sql-drop', 'sql:drop', 'site:install', 'si'],
  migrate: ['drop'],
  flyway: ['clean'],
}

const SCRIPT_HOSTS = new Set(['php', 'python', 'python3'])
const SCRIPTS = ['artisan', 'manage.py', 'bin/console', 'console', 'spark']

function resetsDatabase(call: Call): TestResult {
  let words = call.operands
  if (SCRIPT_HOSTS.has(call.name)) {
    const script = words[0]?.text ?? ''
    if (!SCRIPTS.some((name) => script === name || script.endsWith(`/${name}`))) return undefined
    words = words.slice(1)
  }
  const paths = RESET_PATHS[call.name]
  if (paths !== undefined) {
    const line = words.map(({ text }) => text).join(' ')
    const found = paths.find((path) => line === path || line.startsWith(`${path} `))
    if (found === undefined)
      return call.name === 'prisma' ? findOption(call, ['--force-reset', '--accept-data-loss'])?.word : undefined
    const isLocal = call.name === 'supabase' && findOption(call, ['--linked', '--db-url']) === undefined
    if (call.name === 'knex' && findOption(call, ['--all']) === undefined) return undefined
    return isLocal ? { at: call.command.span, tier: 3 } : { at: call.command.span }
  }
  return words.slice(0, 3).find(({ text }) => RESET_VERBS.has(text))
}
