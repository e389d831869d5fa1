// The login link of the dashboard. The daemon gives it only to a process that may act for a person. The browser gets the
// link in a file, never as an argument.

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

/** A one-time link, or why there is none. */
export interface LoginLink {
  readonly url: string | null
  readonly hint: string | null
}

const TIMEOUT_MS = 5_000

/** Requests a link from a running daemon. Never throws. */
export async function requestLoginLink(home: string, daemonUrl: string): Promise<LoginLink> {
  try {
    const token = readFileSync(tokenFile(home), 'utf8').trim()
    const answer: unknown = JSON.parse(await post(new URL('/v1/login-link', daemonUrl), token))
    const { url, error } = isRecord(answer) ? answer : {}
    if (typeof url === 'string') return { url, hint: null }
    const { message } = isRecord(error) ? error : {}
    return { url: null, hint: typeof message === 'string' ? message : 'The daemon returned no link.' }
  } catch (error) {
    return { url: null, hint: `Cannot request a link: ${describe(error)}` }
  }
}

/** Creates a link of the daemon in this process. */
export function createLoginLink(home: string, daemon: Pick<Daemon, 'newLoginUrl'>): LoginLink {
  const { state, close } = openStores(home, () => undefined)
  try {
    const check = checkHomeCaller(home, state)
    if (check.isHuman) return { url: daemon.newLoginUrl(check.requester), hint: null }
    return { url: null, hint: `Only a person may get a login link. ${check.reason}` }
  } finally {
    close()
  }
}

/** Opens a link in the browser, through a file: other users can read the arguments of programs. */
export function openLink(home: string, link: string): void {
  const file = loginFile(home)
  rmSync(file, { force: true })
  const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>ARC</title>
<meta http-equiv="refresh" content="0;url=${link}"><p><a href="${link}">Open ARC</a></p>\n`
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const child = spawn(opener, [file], { stdio: 'ignore', detached: true })
  // Without a browser the printed link is enough. The daemon removes the file once the link was used.
  child.on('error', () => rmSync(file, { force: true }))
  child.unref()
}

// Over TCP: only there can the daemon see which process owns the connection.
function post(url: URL, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, [LOGIN_PROCESS_HEADER]: String(process.pid) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve(text))
      response.on('error', reject)
    })
    sent.on('timeout', () => sent.destroy(new Error('the daemon does not answer')))
    sent.on('error', reject)
    sent.end()
  })
}
