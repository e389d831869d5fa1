// The subject of every host, from the fixtures in its folder.

import { HOST_NAMES, type HostName } from '../src/hosts/host.ts'
import type { HostSubject } from '../src/testing/host-contract.ts'

async function loadSubject(name: HostName): Promise<readonly [HostName, HostSubject]> {
  const { subject } = (await import(`../src/hosts/${name}/fixtures/subject.ts`)) as { readonly subject: HostSubject }
  return [name, subject]
}

export const SUBJECTS = Object.fromEntries(await Promise.all(HOST_NAMES.map(loadSubject))) as Readonly<
  Record<HostName, HostSubject>
>
