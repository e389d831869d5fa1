// Archives: what retention removes, as a compressed export that can be verified without the database. A file appears
// under its name only when it is complete and on the disk.

import { createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { ArcError, describe } from '../engine/errors.ts'
import type { Link } from '../trace/chain.ts'
import { type ArchiveHeader, formatArchiveLine, formatRecordLine } from '../trace/export.ts'

const DIGITS = 12

type Pages = Iterable<readonly Link[]> | AsyncIterable<readonly Link[]>

/**
 * Writes an archive and returns its path. Throws ARC_ARCHIVE_FAILED when that is not possible, and leaves no file then.
 * @example
 * await writeArchiveFile('/mnt/archive', { database, from, to }, pages)
 */
export async function writeArchiveFile(folder: string, header: ArchiveHeader, pages: Pages): Promise<string> {
  const file = join(folder, archiveName(header))
  const temporary = `${file}.${process.pid}.tmp`
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeSynced(temporary, formatLines(header, pages))
    await rename(temporary, file)
    await syncFolder(folder)
    return file
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw new ArcError('ARC_ARCHIVE_FAILED', `The archive ${file} cannot be written: ${describe(error)}`)
  }
}

/** The name of an archive: the numbers of its first and last record. */
function archiveName({ from, to }: ArchiveHeader): string {
  const digits = (seq: number): string => String(seq).padStart(DIGITS, '0')
  return `trace-${digits(from.seq + 1)}-${digits(to.seq)}.jsonl.gz`
}

async function* formatLines(header: ArchiveHeader, pages: Pages): AsyncGenerator<string> {
  yield `${formatArchiveLine(header)}\n`
  for await (const page of pages) yield page.map((link) => `${formatRecordLine(link)}\n`).join('')
}

// `flush`: the file is on the disk before it is closed.
async function writeSynced(file: string, lines: AsyncIterable<string>): Promise<void> {
  const target = createWriteStream(file, { mode: 0o600, flush: true })
  await pipeline(Readable.from(lines), createGzip(), target)
}

// A rename is on the disk when its folder is.
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
