// Another program that uses the database: `database-client.mjs FILE lock IMMEDIATE|EXCLUSIVE` holds a lock until its stdin
// ends, `database-client.mjs FILE schema NUMBER` sets the number of the
// schema and prints the number before.

import Database from 'libsql'

const [file, what, value] = process.argv.slice(2)
const db = new Database(file, { timeout: 10_000 })
if (what === 'schema') {
  process.stdout.write(String(db.pragma('user_version')[0].user_version))
  db.exec(`PRAGMA user_version = ${Number(value)}`)
  db.close()
} else {
  db.exec(`BEGIN ${value}`)
  process.stdout.write('locked\n')
  process.stdin.resume().on('end', () => {
    db.exec('ROLLBACK')
    db.close()
  })
}
