// Tasks in SQLite: read, moved and written in one transaction that keeps other writers out, so that of two processes
// that race exactly one wins.

import { ArcError, show } from '../../engine/errors.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { Task, TaskDraft, TaskRecord } from '../../tasks/task.ts'
import {
  advanceTask,
  isTaskOver,
  openTask,
  renewTaskLease,
  type TaskMove,
  unknownTask,
} from '../../tasks/transitions.ts'
import { Redactor } from '../../trace/redact.ts'
import { PURGE_BATCH, TASK_RETENTION_MS, type TaskFilter, type TaskStore } from '../ports.ts'
import { Connection } from './connection.ts'
import type { Database } from './driver/driver.ts'
import type { OpenOptions } from './open-options.ts'

interface Row {
  readonly body: string
}

type Prepared = ReturnType<typeof prepare>

/**
 * Tasks in a database file.
 * @example
 * const store = new SqliteTaskStore('/home/me/.arc/arc.db')
 */
export class SqliteTaskStore implements TaskStore {
  readonly #connection: Connection<Prepared>
  // What is written has no secrets in it: the assignee gets the text without them as well.
  readonly #redactor = new Redactor({ env: process.env })

  constructor(file: string, options: OpenOptions = {}) {
    this.#connection = new Connection(file, options, prepare)
  }

  create(id: string, draft: TaskDraft, at: number): Task {
    const { task, records } = openTask(id, this.#clean(draft), at)
    return this.#connection.write((prepared) => {
      sweep(prepared, at - TASK_RETENTION_MS)
      if (prepared.insert.run(toColumns(task)).changes === 0) {
        throw new ArcError('ARC_OPTION_INVALID', `There is a task ${show(id)} already.`)
      }
      for (const record of records) keepRecord(prepared, id, record)
      return task
    })
  }

  get(id: string): Task | undefined {
    return this.#connection.read(({ one }) => parse<Task>(one.get(id)))
  }

  history(id: string): readonly TaskRecord[] {
    return this.#connection.read(({ records }) => records.all(id).map((row) => parse<TaskRecord>(row)))
  }

  list({ status, from, to, limit }: TaskFilter = {}): readonly Task[] {
    const wanted = { status: status ?? null, from: from ?? null, to: to ?? null, limit: limit ?? -1 }
    const rows = this.#connection.read(({ list }) => list.all(wanted))
    return rows.map((row) => parse<Task>(row)).reverse()
  }

  move(id: string, move: TaskMove): Task {
    const clean = typeof move.text === 'string' ? { ...move, text: this.#redactor.hide(move.text) } : move
    return this.#connection.write((prepared) => {
      const before = parse<Task>(prepared.one.get(id))
      if (before === undefined) throw unknownTask(id)
      const { task, record } = advanceTask(before, clean)
      prepared.replace.run({ ...toColumns(task), before: before.version })
      keepRecord(prepared, id, record)
      return task
    })
  }

  renew(id: string, holder: string, at: number): boolean {
    return this.#connection.write((prepared) => {
      const before = parse<Task>(prepared.one.get(id))
      const task = before && renewTaskLease(before, holder, at)
      if (task === undefined) return false
      prepared.replace.run({ ...toColumns(task), before: task.version })
      return true
    })
  }

  expired(at: number): readonly Task[] {
    return this.#connection.read(({ expired }) => expired.all(Math.floor(at)).map((row) => parse<Task>(row)))
  }

  // What is not as it should be is left for the check that follows.
  #clean(draft: TaskDraft): TaskDraft {
    if (!isRecord(draft)) return draft
    const { description, metadata } = draft
    return {
      ...draft,
      ...(typeof description === 'string' && { description: this.#redactor.hide(description) }),
      ...(isRecord(metadata) && { metadata: this.#redactor.hide(metadata) }),
    }
  }

  /** Safe to call twice. */
  close(): void {
    this.#connection.close()
  }
}

function prepare(db: Database) {
  return {
    one: db.prepare<[string], Row>('SELECT body FROM task WHERE id = ?'),
    records: db.prepare<[string], Row>('SELECT body FROM task_record WHERE task = ? ORDER BY version'),
    list: db.prepare<[ListParameters], Row>(
      `SELECT body FROM task WHERE (:status IS NULL OR status = :status) AND (:from IS NULL OR delegator = :from)
       AND (:to IS NULL OR assignee = :to) ORDER BY id DESC LIMIT :limit`,
    ),
    insert: db.prepare<[Columns]>(
      `INSERT INTO task (id, delegator, assignee, status, version, lease_until, ended, body)
       VALUES (:id, :from, :to, :status, :version, :leaseUntil, :ended, :body) ON CONFLICT DO NOTHING`,
    ),
    replace: db.prepare<[Columns & { readonly before: number }]>(
      `UPDATE task SET status = :status, version = :version, lease_until = :leaseUntil, ended = :ended, body = :body
       WHERE id = :id AND version = :before`,
    ),
    record: db.prepare<[string, number, string]>('INSERT INTO task_record (task, version, body) VALUES (?, ?, ?)'),
    expired: db.prepare<[number], Row>(
      `SELECT body FROM task WHERE lease_until <= ? AND status = 'working' ORDER BY id`,
    ),
    over: db.prepare<[number], { readonly id: string }>(
      `SELECT id FROM task WHERE ended <= ? ORDER BY ended LIMIT ${PURGE_BATCH}`,
    ),
    remove: db.prepare<[string]>('DELETE FROM task WHERE id = ?'),
    removeRecords: db.prepare<[string]>('DELETE FROM task_record WHERE task = ?'),
  }
}

interface ListParameters {
  readonly status: string | null
  readonly from: string | null
  readonly to: string | null
  readonly limit: number
}

type Columns = ReturnType<typeof toColumns>

function toColumns(task: Task) {
  const { id, from, to, status, version, lease, updatedAt } = task
  return {
    ...{ id, from, to, status, version, body: JSON.stringify(task) },
    leaseUntil: lease === undefined ? null : Math.ceil(lease.expiresAt),
    ended: isTaskOver(status) ? Math.floor(updatedAt) : null,
  }
}

function keepRecord({ record }: Prepared, id: string, kept: TaskRecord): void {
  record.run(id, kept.version, JSON.stringify(kept))
}

function sweep({ over, remove, removeRecords }: Prepared, before: number): void {
  for (const { id } of over.all(Math.floor(before))) {
    remove.run(id)
    removeRecords.run(id)
  }
}

function parse<T>(row: Row): T
function parse<T>(row: Row | undefined): T | undefined
function parse<T>(row: Row | undefined): T | undefined {
  return row && (JSON.parse(row.body) as T)
}
