/** What tells one agent from another: neither the case of a name nor how its letters are written. */
export function agentKey(name: string): string {
  return name.normalize('NFKC').trim().toLowerCase()
}
