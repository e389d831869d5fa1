// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are those of the shell.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzeShell } from './analyze.ts'
import type { Execution, ShellCommand } from './execution.ts'

const HERE = { cwd: '/srv/shop', home: '/home/kim' }

const analyze = (text: string): Execution => analyzeShell(text, HERE)

/** A command as one line, unknown words marked. */
function show(command: ShellCommand): string {
  const words = command.args.map((word) => (word.isKnown ? word.text : `‹${word.text}›`))
  return [command.name ?? '?', ...words].join(' ')
}

function lines(text: string): readonly string[] {
  return analyze(text)
    .commands.filter((command) => !command.isDormant)
    .map(show)
}

function why(text: string): readonly string[] {
  return analyze(text).unknown.map((unknown) => unknown.why)
}

/** Text, and the commands that would run. */
type Example = readonly [text: string, ...commands: string[]]

const CONSTRUCTS: Readonly<Record<string, readonly Example[]>> = {
  'simple commands and lists': [
    ['ls -la src', 'ls -la src'],
    ['make; make test && echo ok || echo bad', 'make', 'make test', 'echo ok', 'echo bad'],
    ['tar x & wait', 'tar x', 'wait'],
    ['# dd if=a of=b\nls # dd', 'ls'],
    ['! test -f a', 'test -f a'],
    ['> notes.txt', ':'],
    ['/usr/local/bin/dd if=a', 'dd if=a'],
    ['a |& b | c', 'a', 'b', 'c'],
  ],
  'text that only mentions': [
    ['echo "shred -u key"', 'echo shred -u key'],
    ["grep 'shred -u' notes", 'grep shred -u notes'],
    ['git commit -m "drop; shred"', 'git commit -m drop; shred'],
    ["cat <<'EOF'\nshred -u key\nEOF", 'cat'],
    ['cat > run.sh <<EOF\nshred -u key\nEOF', 'cat'],
    ['git commit -F - <<EOF\nshred $(date)\nEOF', 'date', 'git commit -F -'],
    ['echo "wow!!" !shred', 'echo wow!! !shred'],
    ['python3 app.py <<EOF\nimport os\nEOF', 'python3 app.py'],
  ],
  'compound commands': [
    ['if a; then b; elif c; then d; else e; fi', 'a', 'b', 'c', 'd', 'e'],
    ['while a; do b; done', 'a', 'b'],
    ['until a; do b; done', 'a', 'b'],
    ['for x in 1 2; do rm f$x; done', 'rm f1', 'rm f2'],
    ['for x in *.o; do rm "$x"; done', 'rm ‹*.o›'],
    ['for ((i=0;i<2;i++)); do a; done', 'a'],
    ['case $1 in a) b;; *) c;; esac', 'b', 'c'],
    ['select x in a; do b $x; done', 'b a'],
    ['(a; b)', 'a', 'b'],
    ['{ a; b; } > log', 'a', 'b'],
    ['[[ -n $(a) ]] && b', 'a', 'b'],
    ['(( $(a) + 1 ))', 'a'],
    ['coproc a b', 'a b'],
    ['time a', 'a'],
  ],
  substitutions: [
    ['echo $(a) `b` "$(c "$(d)")"', 'a', 'b', 'd', 'c ‹$(d)›', 'echo ‹$(a)› ‹`b`› ‹$(c "$(d)")›'],
    ['diff <(a) >(b)', 'a', 'b', 'diff ‹<(a)› ‹>(b)›'],
    ['echo ${x:-$(a)} $(( $(b) ))', 'a', 'b', 'echo ‹$(a)› ‹$(( $(b) ))›'],
    ['cat <<EOF\n$(a)\nEOF', 'a', 'cat'],
    ['x=$(a) b', 'a', 'b'],
    ['ls > $(a)', 'a', 'ls'],
    ['`a \\`b\\``', 'b', 'a ‹`b`›', '? '],
  ],
  functions: [
    ['f() { a "$1"; }; f x', 'a x'],
    ['function f { a "$@"; }; f x "y z"', 'a x y z'],
    ['f() { a; }; b', 'b'],
    ['f() { f | f & }; f', 'f', 'f'],
    ['f() { g; }; g() { a; }; f', 'a'],
  ],
  'known values': [
    ['x=shred; $x -u key', 'shred -u key'],
    ['x="shred -u"; $x key', 'shred -u key'],
    ['x="a b"; ls "$x"', 'ls a b'],
    ['a=(shred -u key); "${a[@]}"; echo ${a[1]} ${#a[@]}', 'shred -u key', 'echo -u 3'],
    ['a=(x); a+=(y); ls "${a[@]}"', 'ls x y'],
    ['x=pre-name.txt; ls ${x#pre-} ${x%.txt} ${x##*.} ${x%%-*}', 'ls name.txt pre-name txt pre'],
    ['x=banana; ls ${x/an/-} ${x//a/o} ${x:1:3} ${x: -2} ${x^^}', 'ls b-ana bonono ana na BANANA'],
    ['ls ${nope:-a} ${nope-b} ${nope:+c}', 'ls a b c'],
    ['x=1; ls ${x:+c} ${x:-d}', 'ls c 1'],
    ['unset x; : ${x:=v}; ls $x', 'unset x', ': v', 'ls v'],
    ['n=x; x=v; ls ${!n}', 'ls v'],
    ['declare -n r=x; x=v; ls $r', 'declare -n r=x', 'ls v'],
    ['A=one; declare A=two B=$A; ls $A $B', 'declare A=two B=one', 'ls two one'],
    ['ls $(echo a) $(printf "%s-%d" b 3)', 'echo a', 'printf %s-%d b 3', 'ls a b-3'],
    ['ls $((1+2*3)) $((x=4)) $x', 'ls 7 4 4'],
    ['set -- a "b c"; ls "$2" $# "$@"', 'set -- a b c', 'ls b c 2 a b c'],
    ['set -- a b; shift; ls $1', 'set -- a b', 'shift', 'ls b'],
    ['read x y <<< "shred -u key"; $x $y', 'read x y', 'shred -u key'],
    ['printf shred | { read x; $x; }', 'printf shred', 'read x', 'shred'],
    ['mapfile -t l <<< "a"; ls "${l[0]}"', 'mapfile -t l', 'ls a'],
    ['printf -v x "%s%s" sh red; $x', 'printf -v x %s%s sh red', 'shred'],
    ['ls{-a,-b} {1..3} x{y,}z {a,b}{c,d}', 'ls-a ls-b 1 2 3 xyz xz ac ad bc bd'],
    ['IFS=,; x=shred,-u; $x', 'shred -u'],
    ['shred$IFS-u', 'shred -u'],
    ["$'sh\\x72ed' -u", 'shred -u'],
    ['s"hre"d -u', 'shred -u'],
    ['\\shred -u', 'shred -u'],
    ['ls ~ ~/x $HOME "${HOME}/y" $PWD', 'ls /home/kim /home/kim/x /home/kim /home/kim/y /srv/shop'],
    ["export X=shred; bash -c '$X -u'", 'export X=shred', 'bash -c $X -u', 'shred -u'],
    ['x=$y/z; ls $x', 'ls ‹$y/z›'],
    ['d=$(mktemp -d); rm -rf "$d"', 'mktemp -d', 'rm -rf ‹$(mktemp -d)›'],
  ],
  'values that depend on a branch': [
    ['x=a; if t; then x=b; fi; ls $x', 't', 'ls b', 'ls a'],
    ['x=a; t && x=b; ls $x', 't', 'ls b', 'ls a'],
    ['case $1 in 1) x=a;; 2) x=b;; esac; ls $x', 'ls b', 'ls a'],
  ],
  wrappers: [
    ['sudo -u kim -E shred -u key', 'shred -u key'],
    ['sudo -- A=b shred', 'shred'],
    ['sudo -l', 'sudo -l'],
    ['doas -u kim shred', 'shred'],
    ['env -i -u X A=b shred -u', 'shred -u'],
    ["env -S 'A=b shred -u' key", 'shred -u key'],
    ['env', 'env'],
    ['nice -n 5 ionice -c2 -n7 nohup shred', 'shred'],
    ['timeout -k 5 10s shred', 'shred'],
    ['command -v shred', 'command -v shred'],
    ['command -p shred', 'shred'],
    ['exec -a ls shred', 'shred'],
    ['stdbuf -oL setsid -w shred', 'shred'],
    ['chrt -f 10 shred', 'shred'],
    ['flock -n /tmp/l shred -u', 'shred -u'],
    ["flock /tmp/l -c 'shred -u'", 'flock /tmp/l -c shred -u', 'shred -u'],
    ["script -q -c 'shred -u' out", 'script -q -c shred -u out', 'shred -u'],
    ['strace -f -o t shred', 'shred'],
    ['busybox shred -u', 'shred -u'],
    ["su - kim -c 'shred -u'", 'shred -u'],
    ["watch -n 5 'shred -u'", 'watch -n 5 shred -u', 'shred -u'],
    ['poetry run shred', 'shred'],
    ['poetry install', 'poetry install'],
    ["npx -c 'shred -u'", 'npx -c shred -u', 'shred -u'],
    ['systemd-run --unit x shred', 'shred'],
    ['unshare -r chroot /mnt shred', 'shred'],
  ],
  shells: [
    ["bash -lc 'shred -u'", 'bash -lc shred -u', 'shred -u'],
    ["bash -o pipefail -ec 'a | b'", 'bash -o pipefail -ec a | b', 'a', 'b'],
    ['sh -c \'ls "$1" "$0"\' zero one', 'sh -c ls "$1" "$0" zero one', 'ls one zero'],
    ["eval 'shred' -u", 'eval shred -u', 'shred -u'],
    ["trap 'shred -u' EXIT", 'trap shred -u EXIT', 'shred -u'],
    ["alias x='shred -u'\nx key", 'alias x=shred -u', 'shred -u key'],
    ['bash <<EOF\nshred -u $x\nEOF', 'bash', 'shred -u ‹$x›'],
    ["zsh <<< 'shred -u'", 'zsh', 'shred -u'],
    ["echo 'shred -u' | sh -s x", 'echo shred -u', 'sh -s x', 'shred -u'],
    ["printf '\\x73hred -u' | bash", 'printf \\x73hred -u', 'bash', 'shred -u'],
    ['echo c2hyZWQgLXU= | base64 -d | sh', 'echo c2hyZWQgLXU=', 'base64 -d', 'sh', 'shred -u'],
    ['echo 7368726564 | xxd -r -p | sh', 'echo 7368726564', 'xxd -r -p', 'sh', 'shred'],
    ['echo derhs | rev | sh', 'echo derhs', 'rev', 'sh', 'shred'],
    [
      'echo TISFE | tr B-Z A-Y | tr A-Z a-z | cat - | sh',
      'echo TISFE',
      'tr B-Z A-Y',
      'tr A-Z a-z',
      'cat -',
      'sh',
      'shred',
    ],
    ["source <(echo 'shred -u')", 'echo shred -u', "source ‹<(echo 'shred -u')›", 'shred -u'],
    ["echo 'shred -u' | . /dev/stdin", 'echo shred -u', '. /dev/stdin', 'shred -u'],
    ["exec 3<<< 'shred -u'; source /dev/fd/3", 'exec', 'source /dev/fd/3', 'shred -u'],
    ["echo 'shred -u' > x.sh; bash x.sh", 'echo shred -u', 'bash x.sh', 'shred -u'],
    ["echo 'shred -u' | tee x.sh; sh ./x.sh", 'echo shred -u', 'tee x.sh', 'sh ./x.sh', 'shred -u'],
    ["echo 'shred -u $1' > x; chmod +x x; ./x key", 'echo shred -u $1', 'chmod +x x', 'x key', 'shred -u key'],
    ['$SHELL -c shred', 'bash -c shred', 'shred'],
    ['bash script.sh', 'bash script.sh'],
  ],
  launchers: [
    [
      "find src -name '*.o' -exec shred -u {} \\; -print",
      'find src -name *.o -exec shred -u {} ; -print',
      'shred -u ‹src/**/*.o›',
    ],
    ['find . -execdir a {} + -ok b \\;', 'find . -execdir a {} + -ok b ;', 'a ‹./*›', 'b'],
    ['fd -e o -x shred', 'fd -e o -x shred', 'shred ‹./*›'],
    ['echo a b | xargs shred -u', 'echo a b', 'xargs shred -u', 'shred -u a b'],
    ['echo a | xargs -I{} sh -c "shred {}"', 'echo a', 'xargs -I{} sh -c shred {}', 'sh -c shred a', 'shred a'],
    ['ls | xargs -0 -n 1 shred', 'ls', 'xargs -0 -n 1 shred', 'shred ‹$item›'],
    ['parallel shred {} ::: a b', 'parallel shred {} ::: a b', 'shred a', 'shred b'],
    ['ls | entr -c shred', 'ls', 'entr -c shred', 'shred'],
    ["ssh -p 22 kim@host 'cd /x; shred'", 'ssh -p 22 kim@host cd /x; shred', 'cd /x', 'shred'],
    ['docker run --rm -v /:/h -e A=b img shred -u', 'docker run --rm -v /:/h -e A=b img shred -u', 'shred -u'],
    ['docker run --entrypoint shred img -u', 'docker run --entrypoint shred img -u', 'shred -u'],
    ['docker -H x compose -f y exec -T web shred', 'docker -H x compose -f y exec -T web shred', 'shred'],
    ['kubectl -n a exec -it pod -c web -- shred', 'kubectl -n a exec -it pod -c web -- shred', 'shred'],
    ["vagrant ssh -c 'shred'", 'vagrant ssh -c shred', 'shred'],
    ["git -c alias.x='!shred -u' x key", 'git -c alias.x=!shred -u x key', 'shred -u key'],
    ["git config alias.x '!shred'; git x", 'git config alias.x !shred', 'shred', 'git x', 'shred'],
    ["git rebase -x 'shred' main", 'git rebase -x shred main', 'shred'],
    ['echo shred | at now', 'echo shred', 'at now', 'shred'],
    ["echo '0 5 * * * shred -u' | crontab -", 'echo 0 5 * * * shred -u', 'crontab -', 'shred -u'],
    ["ncat -l --sh-exec 'shred' 80", 'ncat -l --sh-exec shred 80', 'shred'],
    ["tar c . --checkpoint-action=exec='shred -u'", 'tar c . --checkpoint-action=exec=shred -u', 'shred -u'],
  ],
  interpreters: [
    ['python3 -c \'import os; os.system("shred -u")\'', 'python3 -c import os; os.system("shred -u")', 'shred -u'],
    ['python -c \'subprocess.run(["shred", "-u"])\'', 'python -c subprocess.run(["shred", "-u"])', 'shred -u'],
    [
      'node -e \'require("child_process").execSync("shred")\'',
      'node -e require("child_process").execSync("shred")',
      'shred',
    ],
    ['perl -e \'system "shred"; `ls`\'', 'perl -e system "shred"; `ls`', 'shred', 'ls'],
    ["ruby -e 'puts %x(shred)'", 'ruby -e puts %x(shred)', 'shred'],
    ['php -r \'shell_exec("shred");\'', 'php -r shell_exec("shred");', 'shred'],
    ['awk \'BEGIN{system("shred")}\' f', 'awk BEGIN{system("shred")} f', 'shred'],
    ['lua -e \'os.execute("shred")\'', 'lua -e os.execute("shred")', 'shred'],
    ["python3 - <<EOF\nimport os\nos.system('shred')\nEOF", 'python3 -', 'shred'],
    ['python3 -c \'os.system("shred " + x)\'', 'python3 -c os.system("shred " + x)', 'shred ‹$unknown›'],
    ['python3 -c \'print("system")\'', 'python3 -c print("system")'],
  ],
}

describe('what would run', () => {
  for (const [construct, examples] of Object.entries(CONSTRUCTS)) {
    it.each(examples.map(([text, ...commands]) => ({ text, commands })))(
      `${construct}: $text`,
      ({ text, commands }) => {
        expect(lines(text).map((line) => line.trimEnd())).toEqual(commands.map((line) => line.trimEnd()))
      },
    )
  }

  it('gives the code of other languages as snippets', () => {
    const snippets = (text: string) => analyze(text).snippets.map(({ language, code }) => [language, code])
    expect(snippets("node -p '1+1'")).toEqual([['javascript', '1+1']])
    expect(snippets("psql -c 'select 1' db")).toEqual([['sql', 'select 1']])
    expect(snippets('echo "drop table a" | mysql shop')).toEqual([['sql', 'drop table a\n']])
    expect(snippets('sqlite3 a.db "drop table a"')).toEqual([['sql', 'drop table a']])
    expect(snippets("perl -ne 'print' f")).toEqual([['perl', 'print']])
    expect(snippets("awk -F: '{print $1}' f")).toEqual([['awk', '{print $1}']])
    expect(snippets('deno eval "1"')).toEqual([['javascript', '1']])
    expect(snippets('python3 script.py')).toEqual([])
    expect(snippets('cat data | python3 -m json.tool')).toEqual([])
  })
})

describe('how it would run', () => {
  const find = (text: string, name: string) => analyze(text).commands.find((command) => command.name === name)

  it('follows cd within its shell only', () => {
    expect(find('cd sub && ls', 'ls')?.cwd).toBe('/srv/shop/sub')
    expect(find('(cd sub); ls', 'ls')?.cwd).toBe('/srv/shop')
    expect(find('cd /a; cd ../b; ls', 'ls')?.cwd).toBe('/b')
    expect(find('cd /a; cd -; ls', 'ls')?.cwd).toBe('/srv/shop')
    expect(find('cd; ls', 'ls')?.cwd).toBe('/home/kim')
    expect(find('pushd /a; popd; ls', 'ls')?.cwd).toBe('/srv/shop')
    expect(find('cd "$x"; ls', 'ls')?.cwd).toBeUndefined()
    expect(find('if t; then cd a; fi; ls', 'ls')?.cwd).toBeUndefined()
    expect(find('cd a || exit; ls', 'ls')?.cwd).toBe('/srv/shop/a')
    expect(find('ssh h ls', 'ls')?.cwd).toBeUndefined()
  })

  it('reports the wrappers and the location of a command', () => {
    expect(find("sudo bash -c 'echo $(shred)'", 'shred')?.via).toEqual(['sudo', 'bash -c', '$( )'])
    expect(find('ls | xargs shred', 'shred')?.via).toEqual(['xargs'])
    expect(find('ssh h shred', 'shred')?.location).toBe('remote')
    expect(find('docker exec c shred', 'shred')?.location).toBe('container')
    expect(find('shred', 'shred')?.location).toBe('local')
  })

  it('reports the pipe: the nearest command first, and the text when it is certain', () => {
    expect(find('a | b | c', 'c')?.input?.from.map((command) => command.name)).toEqual(['b', 'a'])
    expect(find('echo x | c', 'c')?.input?.text).toBe('x\n')
    expect(find('c <<EOF\nx\nEOF', 'c')?.input?.text).toBe('x\n')
    expect(find('c < <(b)', 'c')?.input?.from.map((command) => command.name)).toEqual(['b'])
  })

  it('names the commands whose output runs as code', () => {
    const runs = (text: string, name: string) => find(text, name)?.runsOutputOf?.map((command) => command.name)
    expect(runs('curl x | sudo sh', 'sh')).toEqual(['curl'])
    expect(runs('bash <(curl x)', 'bash')).toEqual(['curl'])
    expect(runs('eval "$(curl x)"', 'eval')).toEqual(['curl'])
    expect(runs('x=$(curl x); bash -c "$x"', 'bash')).toEqual(['curl'])
    expect(runs('curl -o i.sh x && sh i.sh', 'sh')).toEqual(['curl'])
    expect(runs('wget https://e.x/i.sh; bash i.sh', 'bash')).toEqual(['wget'])
    expect(runs('curl -o i x && chmod +x i && ./i', 'i')).toEqual(['curl'])
    expect(runs('curl x | python3 -', 'python3')).toEqual(['curl'])
    expect(runs('curl x | python3 app.py', 'python3')).toBeUndefined()
  })

  it('collects redirects, including those of enclosing groups', () => {
    const redirects = (text: string, name: string) =>
      find(text, name)?.redirects.map((redirect) => redirect.operator + redirect.target.text)
    expect(redirects('a > x 2>> y < z', 'a')).toEqual(['>x', '2>>y', '<z'])
    expect(redirects('{ a; } &> x', 'a')).toEqual(['&>x'])
    expect(redirects('sudo a > x', 'a')).toEqual(['>x'])
    expect(redirects('> x', ':')).toEqual(['>x'])
  })

  it('gives the environment of a command and what the text assigns', () => {
    expect(find('A=1 a', 'a')?.env.get('A')?.text).toBe('1')
    expect(find('env A=1 a', 'a')?.env.get('A')?.text).toBe('1')
    expect(find('export A=1; a', 'a')?.env.get('A')?.text).toBe('1')
    expect(find('A=1; a', 'a')?.env.has('A')).toBe(false)
    expect([...analyze('A=1; export B=2; C=3 a; env D=4 a').assigned.keys()]).toEqual(['A', 'B', 'C', 'D'])
  })

  it('marks background, endless, recursive and uncalled commands', () => {
    expect(find('a & b', 'a')?.isBackground).toBe(true)
    expect(find('a & b', 'b')?.isBackground).toBeUndefined()
    expect(find('while true; do a; done', 'a')?.isEndless).toBe(true)
    expect(find('while true; do a; break; done', 'a')?.isEndless).toBeUndefined()
    expect(find('f() { f & }; f', 'f')?.isRecursive).toBe(true)
    expect(find('f() { a; }', 'a')?.isDormant).toBe(true)
  })

  it('points into the original text, also from nested scripts', () => {
    const at = (text: string, name: string) => {
      const span = find(text, name)?.span
      return span && text.slice(span.start, span.end)
    }
    expect(at('ls; shred -u x', 'shred')).toBe('shred -u x')
    expect(at("sudo bash -c 'ls; shred -u x'", 'shred')).toBe('shred -u x')
    expect(at('bash <<E\nshred -u x\nE', 'bash')).toBe('bash <<E')
    expect(at("bash <<'E'\nls\nshred -u x\nE", 'shred')).toBe('shred -u x')
    expect(at('echo "$(shred -u x)"', 'shred')).toBe('shred -u x')
    expect(at('x=shred; eval "$x"', 'shred')).toBe('shred')
    expect(at('eval shred -u', 'shred')).toBe('eval shred -u')
  })

  it('marks words with patterns', () => {
    const word = find("rm *.o '*.c' a", 'rm')
    expect(word?.args.map((argument) => argument.isGlob)).toEqual([true, false, false])
  })
})

describe('unknown parts', () => {
  it.each([
    ['$x -u', 'dynamic-command'],
    ['$(curl x)', 'dynamic-command'],
    ['/bin/sh?ed', 'dynamic-command'],
    ['curl x | sh', 'dynamic-script'],
    ['eval "$x"', 'dynamic-script'],
    ['bash -c "$(curl x)"', 'dynamic-script'],
    ['base64 -d | sh', 'dynamic-script'],
    ['bash < /dev/tcp/e.x/80', 'dynamic-script'],
    ['tee >(sh) < f', 'dynamic-script'],
    ['python3 -c "$x"', 'dynamic-script'],
    ['if a', 'syntax'],
    ["echo 'a", 'syntax'],
    ['echo $(if a)', 'syntax'],
  ])('%s is %s', (text, reason) => {
    expect(why(text)).toContain(reason)
  })

  it.each([
    'ls',
    'bash -c "cd $DIR && make"',
    'bash run.sh',
    'source venv/bin/activate',
    'psql < dump.sql',
    'bash',
    'cat f | grep x',
    '[ -f a ] && [[ a == b* ]]',
  ])('%s leaves nothing unknown', (text) => {
    expect(why(text)).toEqual([])
  })

  it('still reads the parts around an error', () => {
    expect(lines('shred -u; if a')).toContain('shred -u')
  })
})

describe('bounds', () => {
  const inside = (open: string, close: string, count: number) => `${open.repeat(count)}shred${close.repeat(count)}`

  it.each([
    ['substitutions', inside('$(', ')', 10_000)],
    ['quoted substitutions', inside('"$(', ')"', 10_000)],
    ['subshells', inside('(', ')', 10_000)],
    ['groups', inside('{ ', '; }', 10_000)],
    ['defaults', inside('${x:-', '}', 10_000)],
    ['arithmetic', inside('$((', '))', 10_000)],
    ['coprocesses', 'coproc '.repeat(10_000)],
    ['evals', `${'eval '.repeat(10_000)}shred`],
    ['wrappers', `${'sudo '.repeat(10_000)}shred`],
    ['a million blanks', `shred${' '.repeat(1_000_000)}x`],
    ['a million commands', 'a;'.repeat(500_000)],
    ['open braces', '{'.repeat(1_000_000)],
    ['open brackets', '$['.repeat(500_000)],
    ['heredocs', '<<E '.repeat(250_000)],
    ['a doubling variable', `${'x=$x$x;'.repeat(500)}$x`],
    ['a doubling known variable', `x=ab;${'x=$x$x;'.repeat(500)}$x`],
    ['nested loops', `${'for i in {1..60}; do '.repeat(6)}a${'; done'.repeat(6)}`],
    [
      'functions calling twice',
      `${Array.from({ length: 40 }, (_, index) => `f${index}() { f${index + 1}; f${index + 1}; }`).join('\n')}\nf0`,
    ],
    ['brace products', `ls ${'{a,b}'.repeat(40)}`],
  ])('%s end, and are not taken for safe', (_name, text) => {
    const { commands, unknown } = analyze(text)
    const isSeen = unknown.length > 0 || commands.some((command) => command.args.some((word) => !word.isKnown))
    expect(isSeen).toBe(true)
    expect(commands.length).toBeLessThan(6_001)
    expect(unknown.length).toBeLessThan(65)
  })

  it('reads the beginning of a text that is too long', () => {
    const { commands, unknown } = analyze(`shred -u x\n${'ls\n'.repeat(400_000)}`)
    expect(commands[0] && show(commands[0])).toBe('shred -u x')
    expect(unknown.map((part) => part.why)).toContain('too-long')
  })

  it('never throws on any text, and is deterministic', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(analyze(text).commands.length).toBe(analyze(text).commands.length)
      }),
      { numRuns: 300 },
    )
  })

  it('never throws on texts made of the pieces of a shell, and its spans lie in the text', () => {
    const pieces = [
      '$(',
      ')',
      '`',
      '"',
      "'",
      '{',
      '}',
      ';',
      '|',
      '&&',
      '||',
      '\n',
      ' ',
      'if',
      'then',
      'fi',
      'for x in a b',
      'do',
      'done',
      'case x in',
      'esac',
      '<<E\n',
      'E\n',
      '<<<',
      '<(',
      '${x:-',
      '${a[@]}',
      '$x',
      '$((',
      '))',
      'x=',
      'a=(',
      'f(){',
      '[[',
      ']]',
      'bash -c ',
      'eval ',
      'sudo ',
      'xargs ',
      'find . -exec ',
      '\\',
      'python -c ',
      'ls',
      '*',
      '{1..3}',
      '>',
      '2>&1',
      '&',
      'read x',
      'cd ',
      'alias a=b',
      'git -c alias.a=!b ',
      'ssh h ',
      'docker run x ',
      "$'\\x41'",
      'é',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        const text = parts.join('')
        const { commands, unknown } = analyze(text)
        for (const { span } of [...commands, ...unknown]) {
          expect(span.start).toBeGreaterThanOrEqual(0)
          expect(span.end).toBeLessThanOrEqual(text.length)
          expect(span.start).toBeLessThanOrEqual(span.end)
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('laws', () => {
  const single = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const double = (text: string) => `"${text.replace(/[\\"$`]/g, '\\$&')}"`
  const escaped = (text: string) => text.replace(/[^\n]/gu, '\\$&').replaceAll('\n', "'\n'")
  const ansi = (text: string) =>
    `$'${[...text].map((character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`).join('')}'`
  const word = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => !/[\0\p{Surrogate}]/u.test(text))

  it.each([
    ['single', single],
    ['double', double],
    ['escaped', escaped],
    ['ANSI-C', ansi],
  ])('a word quoted in the %s way is the same word', (_name, quote) => {
    fc.assert(
      fc.property(word, (text) => {
        const [command] = analyze(`ls ${quote(text)} end`).commands
        expect(command?.args.map((argument) => argument.text)).toEqual([text, 'end'])
        expect(command?.args[0]?.isKnown).toBe(true)
        expect(command?.args[0]?.isGlob).toBe(false)
      }),
    )
  })

  it('a word cut into pieces that are quoted differently is the same word', () => {
    const piece = fc.tuple(word, fc.constantFrom(single, double, escaped, ansi))
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        const written = pieces.map(([text, quote]) => quote(text)).join('')
        expect(analyze(`ls ${written}`).commands[0]?.args[0]?.text).toBe(pieces.map(([text]) => text).join(''))
      }),
    )
  })

  const wraps: readonly ((text: string) => string)[] = [
    (text) => `sudo -u kim -- sh -c ${single(text)}`,
    (text) => `env -i A=b bash -c ${double(text)}`,
    (text) => `eval ${single(text)}`,
    (text) => `(${text}\n)`,
    (text) => `{ ${text}\n}`,
    (text) => `true && ${text}`,
    (text) => `echo "$(${text}\n)"`,
    (text) => `if t; then ${text}\nfi`,
    (text) => `for i in 1; do ${text}\ndone`,
    (text) => `f() { ${text}\n}; f`,
    (text) => `echo ${single(text)} | bash`,
    (text) => `ssh host ${single(text)}`,
    (text) => `timeout 5 nice bash -lc ${single(text)}`,
    (text) => `x=${single(text)}; eval "$x"`,
    (text) => `bash <<'END${text.length}'\n${text}\nEND${text.length}`,
    (text) => `find . -exec sh -c ${single(text)} \\;`,
  ]

  it('a command in any wrapping is found', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...wraps), { maxLength: 5 }), (chosen) => {
        const text = chosen.reduce((inner, wrap) => wrap(inner), "shred -u 'my key'")
        const found = analyze(text).commands.find((command) => command.name === 'shred')
        expect(found?.args.map((argument) => argument.text)).toEqual(['-u', 'my key'])
        expect(found?.args.every((argument) => argument.isKnown)).toBe(true)
        expect(found?.isDormant).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })
})
