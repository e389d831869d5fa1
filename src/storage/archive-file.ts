// Verifies archives and exports without the database. They may be longer than the memory.

import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { PassThrough, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ArcError, describe } from '../engine/errors.ts'
import type { Verification } from '../trace/chain.ts'
import { type ArchiveHeader, ExportCheck } from '../trace/export.ts'

/** Verifies an archive, or an export, compressed or not. `onProgress` receives the number of records. */
export async function verifyArchiveFile(
  file: string,
  onProgress?: (records: number) => void,
): Promise<Verification & { readonly archive?: ArchiveHeader | undefined }> {
  const check = new ExportCheck()
  try {
    for await (const line of createInterface({ input: await openText(file), crlfDelay: Number.POSITIVE_INFINITY })) {
      if (!check.add(line)) break
      if (check.records % 1_000 === 0) onProgress?.(check.records)
    }
  } catch (error) {
    const found = check.end()
    if (!found.ok || !isTruncated(error)) throw unreadable(file, error)
    const seq = (found.head?.seq ?? 0) + 1
    const firstBad = { seq, flaw: 'missing', message: `record ${seq} is missing: the file ends too early` } as const
    return { ok: false, records: found.records, firstBad, cut: found.cut, archive: check.archive }
  }
  return { ...check.end(), archive: check.archive }
}

const GZIP_MAGIC = 0x1f8b

async function openText(file: string): Promise<NodeJS.ReadableStream> {
  const handle = await open(file, 'r').catch((error) => {
    throw unreadable(file, error)
  })
  const start = Buffer.alloc(2)
  try {
    await handle.read(start, 0, 2, 0)
  } finally {
    await handle.close()
  }
  // Errors of either stream end the reading: readline does not pass on those of its input.
  const text = new PassThrough()
  const parts = [createReadStream(file), ...(start.readUInt16BE(0) === GZIP_MAGIC ? [createGunzip()] : []), text]
  pipeline(parts, (error) => error && text.destroy(error))
  return text
}

function isTruncated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code))
}

function unreadable(file: string, error: unknown): ArcError {
  if (error instanceof ArcError) return error
  return new ArcError('ARC_OPTION_INVALID', `The archive ${file} cannot be read: ${describe(error)}`)
}
