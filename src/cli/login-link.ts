// The login link of the page: asked of the daemon, which gives one only to a process that may speak for a human, and
// opened in a browser without being an argument of any program.

import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { loginFile, tokenFile } from '../daemon/process/paths.ts'
import type { Daemon } from '../daemon/server.ts'
import { describe } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import { checkHomeCaller } from '../guard/home-caller.ts'
import { LOGIN_PROCESS_HEADER } from '../protocol/messages.ts'
import { openStores } from '../storage/open-stores.ts'

/** A link that works once, or why there is none. */
export interface LoginLink {
  readonly url: string | null
  readonly hint: string | null
}

const ANSWER_MS = 5_000

/** Asks a running daemon for a link. Never fails. */
export async function askLoginLink(home: string, daemonUrl: string): Promise<LoginLink> {
  try {
    const token = readFileSync(tokenFile(home), 'utf8').trim()
    const answer: unknown = JSON.parse(await post(new URL('/v1/login-link', daemonUrl), token))
    const { url, error } = isRecord(answer) ? answer : {}
    if (typeof url === 'string') return { url, hint: null }
    const { message } = isRecord(error) ? error : {}
    return { url: null, hint: typeof message === 'string' ? message : 'The daemon gave no link.' }
  } catch (error) {
    return { url: null, hint: `No link could be asked for: ${describe(error)}` }
  }
}

/** The same for a daemon in this very process. */
export function ownLoginLink(home: string, daemon: Pick<Daemon, 'newLoginUrl'>): LoginLink {
  const { state, close } = openStores(home, () => undefined)
  try {
    const check = checkHomeCaller(home, state)
    if (check.isHuman) return { url: daemon.newLoginUrl(check.requester), hint: null }
    return { url: null, hint: `A link to the page is only for a person. ${check.reason}` }
  } finally {
    close()
  }
}

/** Opens a link in the browser. Other users can read the arguments of programs, so the browser is given a file. */
export function openLink(home: string, link: string): void {
  const file = loginFile(home)
  rmSync(file, { force: true })
  const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>ARC</title>
<meta http-equiv="refresh" content="0;url=${link}"><p><a href="${link}">Open ARC</a></p>\n`
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const child = spawn(opener, [file], { stdio: 'ignore', detached: true })
  // Without a browser the printed link has to do. The daemon removes the file once the link was used.
  child.on('error', () => rmSync(file, { force: true }))
  child.unref()
}

// Over the port: the daemon can only see there which process holds the connection.
function post(url: URL, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, [LOGIN_PROCESS_HEADER]: String(process.pid) }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, agent: false, timeout: ANSWER_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    asked.on('timeout', () => asked.destroy(new Error('the daemon does not answer')))
    asked.on('error', reject)
    asked.end()
  })
}
