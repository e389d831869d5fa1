// Secrets that programs take as plain arguments: what a flag means depends on the program before it.

interface ProgramRule {
  readonly programs: RegExp
  /** The text before the secret as its first group; what follows is the secret. */
  readonly pattern: RegExp
  readonly isSecret?: (value: string) => boolean
}

// The program is looked for in so much text before the flag.
const REACH = 400

const RULES: readonly ProgramRule[] = [
  {
    programs: /\b(?:curl|wget|https?|xh|httpie|lynx|ab|aria2c)\b/,
    pattern: /(\s(?:-[A-Za-z]{0,6}[uUa]|--(?:user|proxy-user|auth))[\s=]{0,4}["']?[^\s:"']{0,128}:)([^\s"']{1,512})/g,
    isSecret: (value) => !value.startsWith('$') && !value.startsWith('//'),
  },
  {
    programs: /\b(?:mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mariadb|mariadb-dump|mycli|7z|7za|7zz|rar|sqlcmd)\b/,
    pattern: /(\s-[pP]["']?)([^\s"'$][^\s"']{1,255})/g,
    isSecret: (value) => !/^\d{1,5}$/.test(value),
  },
  {
    programs:
      /\b(?:sshpass|docker|podman|mongo|mongosh|mongodump|mongorestore|az|oc|helm|skopeo|crane|ftp|lftp|xfreerdp|cqlsh)\b[^\n]*(?:login|-u|sshpass|mongo|cqlsh|registry|ftp|xfreerdp)|\bsshpass\b/,
    pattern: /(\s(?:-p|--password)[\s=]{0,4}["']?)([^\s"'$-][^\s"']{1,255})/g,
    isSecret: (value) => !/^\d{1,5}(?::\d{1,5})?$/.test(value),
  },
  { programs: /\bredis-cli\b/, pattern: /(\s-a\s{1,4}["']?)([^\s"'$-][^\s"']{1,255})/g },
  {
    programs: /\bldap(?:search|modify|add|delete|passwd|whoami)\b/,
    pattern: /(\s-[ws]\s{0,4}["']?)([^\s"'$][^\s"']{2,255})/g,
    isSecret: (value) => !/^(?:sub|base|one|children|cope)$/.test(value),
  },
  {
    programs: /\b(?:zip|unzip|mosquitto_pub|mosquitto_sub|sqlcmd|tds|isql|bsqldb)\b/,
    pattern: /(\s-P\s{1,4}["']?)([^\s"'$-][^\s"']{1,255})/g,
  },
  {
    programs: /\b(?:smbclient|rpcclient|mount\.cifs|net|wmic|winexe)\b/,
    pattern: /(\s-U\s{0,4}["']?[^\s%"']{1,64}%)([^\s"']{1,255})/g,
  },
  { programs: /\bopenssl\b/, pattern: /(\bpass:)([^\s"'$][^\s"']{1,255})/g },
  {
    programs: /\bhtpasswd\b/,
    pattern: /(\s-[A-Za-z]{0,6}b[A-Za-z]{0,6}\s{1,4}\S{1,255}\s{1,4}\S{1,128}\s{1,4}["']?)([^\s"'$]{2,255})/g,
  },
  { programs: /\bvault\b/, pattern: /(\blogin\s{1,4}(?:-\S{1,40}\s{1,4}){0,3})([^\s"'$=-][^\s"'=]{7,255})(?!\S)/g },
]

// What is piped into programs that read a password from their input.
const PIPED =
  /(\b(?:echo|printf|print)\s{1,4}(?:-[ne]{1,2}\s{1,4})?(?:["']?%s(?:\\n)?["']?\s{1,4})?["']?(?:[\w.-]{1,64}:)?)([^\s"'|$][^\s"'|]{2,255})(?=["']?\s{0,4}\|[^|\n]{0,80}(?:sudo\s{1,4}(?:-\S{1,10}\s{1,4}){0,3}-S|--password-stdin|--with-token|chpasswd|passwd\s{1,4}--stdin|--passphrase-fd|--stdin-password))/g
const HINT = /-[A-Za-z]{0,6}[uUapPwsb]|pass:|login|--(?:user|proxy-user|auth|password)|\|/
// `~/.pgpass`: host:port:database:user:password, alone on its line.
const PGPASS = /(^[\w.*-]{1,128}:(?:\d{2,5}|\*):[^\s:]{1,64}:[^\s:]{1,64}:)([^\s:]{3,128})(?=\s{0,4}$)/gm

/** Replaces passwords among the arguments of programs. */
export function hideArguments(text: string, hidden: string): string {
  let clean = text
  if (HINT.test(text)) {
    for (const { programs, pattern, isSecret } of RULES) {
      if (!programs.test(clean)) continue
      clean = clean.replace(pattern, (match: string, before: string, value: string, at: number, whole: string) => {
        const isOwn = programs.test(commandBefore(whole, at + before.length))
        return isOwn && !value.startsWith(hidden) && isSecret?.(value) !== false ? before + hidden : match
      })
    }
    clean = clean.replace(PIPED, (_match, before: string) => before + hidden)
  }
  return clean.includes(':') ? clean.replace(PGPASS, (_match, before: string) => before + hidden) : clean
}

// The command that a place belongs to: back to the end of the one before it.
function commandBefore(text: string, at: number): string {
  const part = text.slice(Math.max(0, at - REACH), at)
  const start = Math.max(part.lastIndexOf('\n'), part.lastIndexOf(';'), part.lastIndexOf('&&'), part.lastIndexOf('|'))
  return part.slice(start + 1)
}
