// A table: exempt from the file length limit.
// Work that is not committed, history that others share, and the ways of git to lose either.

import { type Call, findOption, optionValue } from '../call.ts'
import { findGitFolder, rateDiscard } from '../discarded-files.ts'
import { classifyPath } from '../path-class.ts'
import type { Facts, RulePack, TestResult } from '../rule.ts'
import type { Word } from '../shell/execution.ts'
import { resolvePath } from '../shell/paths.ts'

const LOST_WORK = 'git stash keeps the changes. git diff shows them.'

export const git: RulePack = {
  name: 'git',
  about: 'Loss of uncommitted changes, shared history and repositories.',
  rules: [
    {
      id: 'git/push-force',
      effect: 'destructive',
      tier: 4,
      reason: 'Overwrites commits that others have pushed.',
      alternative: 'git push --force-with-lease refuses if someone else has pushed in the meantime.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'push', unless: ['-n|--dry-run'], test: pushesByForce },
      match: [
        'git push --force',
        'git push -fu origin topic',
        'git push origin +main',
        'git -C repo push --mirror backup',
        'git push --forc origin main',
      ],
      pass: [
        'git push --force-with-lease',
        'git push --force-with-lease=main origin',
        'git push --force --dry-run',
        'git push --force-if-includes',
        'git push origin main',
        'git push -o force origin',
        'git push --no-force',
      ],
    },
    {
      id: 'git/push-delete',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a branch or tag on the remote.',
      alternative: 'Ask the owner of the branch. Most code hosts delete merged branches automatically.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'push', unless: ['-n|--dry-run'], test: pushesDeletion },
      match: [
        'git push origin --delete main',
        'git push origin :release',
        'git push -d origin topic',
        'git push --prune origin',
      ],
      pass: ['git push origin main', 'git push origin HEAD:topic', 'git push -d -n origin topic'],
    },
    {
      id: 'git/push-main',
      effect: 'deploy-affecting',
      tier: 3,
      reason: 'Pushes directly to a shared branch.',
      alternative: 'Push a feature branch and open a pull request.',
      owasp: 'ASI02',
      when: {
        program: 'git',
        sub: 'push',
        unless: ['-n|--dry-run'],
        test: (call) => call.operands.slice(2).find(({ text }) => isMainBranch(readTarget(text))),
      },
      match: ['git push origin main', 'git push -u origin HEAD:master'],
      pass: ['git push origin topic', 'git push', 'git push -n origin main', 'git push origin main-fix'],
    },
    {
      id: 'git/reset-hard',
      effect: 'destructive',
      tier: 4,
      reason: 'Discards uncommitted changes.',
      alternative: LOST_WORK,
      owasp: 'ASI02',
      when: {
        program: 'git',
        sub: 'reset',
        test: (call) => (findOption(call, ['--hard']) ?? findOption(call, ['--merge']))?.word,
      },
      match: [
        'git reset --hard',
        'git reset --ha HEAD~2',
        'git --no-pager reset -q --hard origin/main',
        'git reset --merge',
      ],
      pass: [
        'git reset --soft HEAD~1',
        'git reset HEAD file',
        'git reset --help',
        'git reset -- --hard',
        'git reset --keep HEAD',
      ],
    },
    {
      id: 'git/clean',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes untracked files, which git cannot restore.',
      alternative: 'git clean -n lists the files. git stash -u keeps them.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'clean', flags: ['-f|--force'], unless: ['-n|--dry-run', '-i|--interactive'] },
      match: ['git clean -fdx', 'git clean -d --force', 'git clean -xf src'],
      pass: ['git clean -n', 'git clean -nfd', 'git clean -e -f -n', 'git clean --dry-run -f'],
    },
    {
      id: 'git/checkout-discard',
      effect: 'destructive',
      tier: 4,
      reason: 'Discards uncommitted changes by overwriting files with another version.',
      alternative: LOST_WORK,
      owasp: 'ASI02',
      when: {
        program: 'git',
        sub: 'checkout',
        unless: ['-p|--patch', '--ours', '--theirs', '-m|--merge'],
        test: checksOutFiles,
      },
      match: [
        'git checkout -- .',
        'git checkout .',
        'git checkout HEAD~1 -- src',
        'git checkout main README.md',
        'git checkout -f',
        'git checkout --force main',
        'git checkout -qf topic',
        'git checkout src/',
      ],
      pass: [
        'git checkout main',
        'git checkout -b fix/one',
        'git checkout -',
        'git checkout feature/two',
        'git checkout -b topic origin/main',
        'git checkout v1.2.0',
        'git checkout --orphan new',
        'git checkout -t origin/x',
      ],
    },
    {
      id: 'git/restore-discard',
      effect: 'destructive',
      tier: 4,
      reason: 'Discards uncommitted changes by restoring the last version.',
      alternative: LOST_WORK,
      owasp: 'ASI02',
      when: {
        program: 'git',
        sub: 'restore',
        unless: ['-p|--patch', '--ours', '--theirs', '-m|--merge'],
        test: restoresFiles,
      },
      match: [
        'git restore .',
        'git restore src/a.ts',
        'git restore --staged --worktree a',
        'git restore -SW .',
        'git restore -s HEAD~2 a',
      ],
      pass: ['git restore --staged .', 'git restore -S a', 'git restore'],
    },
    {
      id: 'git/switch-discard',
      effect: 'destructive',
      tier: 4,
      reason: 'Switches branches and discards uncommitted changes.',
      alternative: 'git switch without --force refuses if changes would be lost. Or run git stash first.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'switch', flags: ['-f|--force|--discard-changes'] },
      match: ['git switch -f main', 'git switch --discard-changes main'],
      pass: ['git switch main', 'git switch -c topic', 'git switch -c -f'],
    },
    {
      id: 'git/stash-drop',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes stashed changes.',
      alternative: 'git stash show -p shows the changes. git stash branch keeps them on a branch.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'stash drop|clear' },
      match: ['git stash drop', 'git stash drop stash@{2}', 'git stash clear'],
      pass: ['git stash', 'git stash pop', 'git stash list', 'git stash push -m drop'],
    },
    {
      id: 'git/overwrite-files',
      effect: 'destructive',
      tier: 4,
      reason: 'Overwrites files of the working tree with those of the index or another tree.',
      alternative: LOST_WORK,
      owasp: 'ASI02',
      when: { program: 'git', test: overwritesTree },
      match: ['git read-tree --reset -u HEAD', 'git checkout-index -af', 'git read-tree -um --reset main'],
      pass: ['git read-tree HEAD', 'git checkout-index --prefix=/tmp/x/ -a', 'git status'],
    },
    {
      id: 'git/delete-branch',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes a branch even if its commits are not merged.',
      alternative: 'git branch -d deletes merged branches only.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'branch', test: deletesBranch },
      match: [
        'git branch -D main',
        'git branch -D topic',
        'git branch --delete --force topic',
        'git branch -df master',
      ],
      pass: ['git branch -d topic', 'git branch', 'git branch topic', 'git branch -a'],
    },
    {
      id: 'git/move-branch',
      effect: 'destructive',
      tier: 3,
      reason: 'Forces a branch to other commits.',
      alternative: 'Create a new branch instead.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'branch', flags: ['-f|--force|-M|-C'], unless: ['-d|--delete|-D'] },
      match: ['git branch -f topic HEAD~3', 'git branch -M main'],
      pass: ['git branch -m new', 'git branch -D x'],
    },
    {
      id: 'git/rewrite-history',
      effect: 'destructive',
      tier: 4,
      reason: 'Rewrites the whole history.',
      alternative: 'Work on a fresh clone, so that the original is kept.',
      owasp: 'ASI02',
      when: {
        program: ['git', 'git-filter-repo', 'bfg'],
        test: (call) => call.name !== 'git' || REWRITERS.has(call.operands[0]?.text ?? ''),
      },
      match: [
        'git filter-branch --tree-filter "rm x" HEAD',
        'git filter-repo --path src',
        'bfg --delete-files x.bin',
        'git-filter-repo --invert-paths --path a',
      ],
      pass: ['git filter-branch --help', 'git log --follow x', 'git rebase main'],
    },
    {
      id: 'git/expire-history',
      effect: 'destructive',
      tier: 4,
      reason: 'Deletes the reflog and unreachable commits, which git needs to undo mistakes.',
      alternative: 'git gc without --prune=now keeps the last two weeks.',
      owasp: 'ASI02',
      when: { program: 'git', unless: ['-n|--dry-run'], test: expiresHistory },
      match: [
        'git reflog expire --expire=now --all',
        'git gc --prune=now',
        'git reflog delete HEAD@{1}',
        'git update-ref -d refs/heads/main',
        'git gc --aggressive --prune=all',
        'git prune --expire now',
      ],
      pass: [
        'git gc',
        'git reflog',
        'git gc --prune=3.weeks.ago',
        'git reflog expire --dry-run --expire=now --all',
        'git update-ref refs/x HEAD',
      ],
    },
    {
      id: 'git/worktree-remove',
      effect: 'destructive',
      tier: 4,
      reason: 'Removes a working tree with its uncommitted changes.',
      alternative: 'Without --force, git refuses if changes would be lost.',
      owasp: 'ASI02',
      when: { program: 'git', sub: ['worktree remove', 'submodule deinit'], flags: ['-f|--force'] },
      match: ['git worktree remove --force ../wt', 'git submodule deinit -f lib'],
      pass: ['git worktree remove ../wt', 'git worktree prune', 'git worktree add ../wt'],
    },
    {
      id: 'git/remove-files',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes tracked files with their uncommitted changes.',
      alternative: 'git rm without -f refuses if changes would be lost. --cached keeps the file.',
      owasp: 'ASI02',
      when: {
        program: 'git',
        sub: 'rm',
        flags: ['-f|--force'],
        unless: ['--cached', '-n|--dry-run'],
        test: (call) => {
          const all = call.operands.slice(1).find(({ text }) => text === '.' || text === '*')
          return all === undefined ? true : { at: all.span, tier: 4 }
        },
      },
      match: ['git rm -f a.txt', 'git rm -rf .'],
      pass: ['git rm a.txt', 'git rm -rf --cached .', 'git rm -n -f a'],
    },
    {
      id: 'git/delete-tag',
      effect: 'destructive',
      tier: 3,
      reason: 'Deletes a tag.',
      owasp: 'ASI02',
      when: { program: 'git', sub: 'tag', flags: ['-d|--delete'] },
      match: ['git tag -d v1', 'git tag --delete v2'],
      pass: ['git tag v1', 'git tag -l'],
    },
    {
      id: 'git/internal-files',
      effect: 'destructive',
      tier: 4,
      reason: 'Changes files inside .git directly, which can lose commits.',
      alternative: 'Use git commands: update-ref, gc, worktree, reset.',
      owasp: 'ASI02',
      when: {
        access: ['write', 'delete'],
        test: ({ file, cwd, location }, facts) => {
          const { path } = classifyPath(file, cwd, facts, location)
          const at = path.indexOf('/.git/')
          return at >= 0 && INTERNAL.has(path.slice(at + 6).split('/')[0] ?? '') ? file : undefined
        },
      },
      match: [
        'rm -f .git/HEAD',
        'echo x > .git/refs/heads/main',
        'mv .git/objects /tmp',
        { tool: 'Write', args: { file_path: '.git/HEAD', content: 'x' } },
      ],
      pass: ['cat .git/HEAD', 'rm .git/index.lock', 'echo x > .git/info/exclude', 'rm -f .git/COMMIT_EDITMSG'],
    },
    {
      id: 'git/rewrite-commits',
      effect: 'file-modification',
      tier: 3,
      reason: 'Replaces commits. Commits that were already pushed no longer match.',
      owasp: 'ASI02',
      when: {
        program: 'git',
        sub: ['rebase', 'commit'],
        unless: ['--abort', '--continue', '--skip', '--quit', '--show-current-patch'],
        test: (call) => call.operands[0]?.text === 'rebase' || findOption(call, ['--amend']) !== undefined,
      },
      match: ['git rebase main', 'git commit --amend --no-edit', 'git rebase -i HEAD~3'],
      pass: ['git rebase --continue', 'git commit -m amend', 'git rebase --abort'],
    },
    {
      id: 'git/skip-hooks',
      effect: 'file-modification',
      tier: 3,
      reason: 'Skips the git hooks of the repository.',
      alternative: 'Let the hooks run, and fix what they report.',
      owasp: 'ASI10',
      when: { program: 'git', test: skipsHooks },
      match: [
        'git commit --no-verify -m x',
        'git push --no-verify',
        'git commit -nm x',
        'git config core.hooksPath /dev/null',
        'git -c core.hooksPath=/dev/null commit -m x',
      ],
      pass: ['git commit -m "no-verify"', 'git push -n', 'git config user.name x', 'git merge --no-ff x'],
    },
    {
      id: 'git/run-by-setting',
      effect: 'file-modification',
      tier: 4,
      reason: 'Runs a program through a git setting on the command line.',
      alternative: 'Run the program directly.',
      owasp: 'ASI05',
      when: { program: 'git', test: runsBySetting },
      match: [
        'git -c alias.x="!sh -c id" x',
        'git -c core.sshCommand="sh x" fetch',
        'git -c core.fsmonitor=./run status',
      ],
      pass: [
        'git -c user.name=x commit -m y',
        'git -c color.ui=always log',
        'git -c core.pager=cat log',
        'git -c alias.l=log l',
      ],
    },
    {
      id: 'git/other-systems',
      effect: 'destructive',
      tier: 4,
      reason: 'Discards uncommitted changes or commits.',
      alternative: 'Look at the diff first, and keep a copy.',
      owasp: 'ASI02',
      when: { program: 'hg svn jj fossil p4', test: otherSystems },
      match: [
        'hg update -C',
        'hg revert --all --no-backup',
        'svn revert -R .',
        'hg strip tip',
        'jj abandon xyz',
        'svn cleanup --remove-unversioned',
      ],
      pass: ['hg status', 'svn update', 'jj log', 'hg update', 'svn revert --help'],
    },
  ],
}

const INTERNAL = new Set([
  'objects',
  'refs',
  'packed-refs',
  'HEAD',
  'index',
  'logs',
  'worktrees',
  'modules',
  'shallow',
  'ORIG_HEAD',
  'FETCH_HEAD',
  'lfs',
])
const REWRITERS = new Set(['filter-branch', 'filter-repo'])
const MAIN_BRANCHES = new Set([
  'main',
  'master',
  'production',
  'prod',
  'release',
  'develop',
  'trunk',
  'stable',
  'gh-pages',
])

function isMainBranch(name: string): boolean {
  return MAIN_BRANCHES.has(name) || name.startsWith('release/')
}

// Where a refspec pushes to: `HEAD:refs/heads/main` → main.
function readTarget(refspec: string): string {
  const target = refspec.slice(refspec.lastIndexOf(':') + 1)
  const bare = target.startsWith('+') ? target.slice(1) : target
  return bare.startsWith('refs/heads/') ? bare.slice(11) : bare
}

function pushesByForce(call: Call): TestResult {
  const force = findExact(call, ['-f', '--force']) ?? findOption(call, ['--mirror'])?.word
  if (force !== undefined) return force
  return call.operands.slice(2).find(({ text }) => text.startsWith('+'))
}

// `--force` is also the beginning of `--force-with-lease` and `--force-if-includes`, which are safe; `--forc` is none of them.
function findExact(call: Call, names: readonly string[]): Word | undefined {
  const last = call.options.findLast(
    ({ name }) => name === '--no-force' || names.includes(name) || name === '--forc' || name === '--for',
  )
  return last === undefined || last.name === '--no-force' ? undefined : last.word
}

function pushesDeletion(call: Call): TestResult {
  const isDelete = findOption(call, ['-d', '--delete']) !== undefined
  const names = call.operands.slice(2).filter(({ text }) => isDelete || (text.startsWith(':') && text.length > 1))
  const main = names.find(({ text }) => isMainBranch(readTarget(text)))
  if (main !== undefined) return main
  const first = names[0] ?? findOption(call, ['--prune'])?.word
  return first === undefined ? undefined : { at: first.span, isUncertain: true }
}

function checksOutFiles(call: Call, facts: Facts): TestResult {
  const force = findOption(call, ['-f', '--force'])
  if (force !== undefined) return force.word
  const names = call.operands.slice(1)
  const files = call.operands.slice(Math.max(1, call.beforeDashes))
  if (files.length > 0 && call.beforeDashes < call.operands.length)
    return rateDiscard(call, files, facts, call.beforeDashes > 1 ? 'version' : 'index')
  if (hasPathspecFile(call)) return true
  if (findOption(call, ['-b', '-B', '--orphan', '-t', '--track', '-d', '--detach']) !== undefined) return undefined
  const [first, ...others] = names
  if (first === undefined) return undefined
  const isRef = isReference(call, first, facts)
  if (others.length === 0) return isRef ? undefined : rateDiscard(call, names, facts, 'names')
  const isTree = isRef || isReference(call, first, facts, false)
  return rateDiscard(call, isTree ? others : names, facts, isTree ? 'version' : 'names')
}

// Whether a name is a branch or commit: by what exists, and otherwise by its look.
function isReference(call: Call, word: Word, { files }: Facts, byLook = !looksLikePath(word)): boolean {
  const folder = findGitFolder(call)
  if (files === undefined || folder === undefined || !word.isKnown || word.isGlob) return byLook
  const hasRef = files.refExists(folder, word.text)
  const hasFile = files.exists(resolvePath(folder, word.text))
  if (hasRef === true) return true
  // Without a file of this name, git looks for a remote branch, and refuses if there is none.
  if (hasRef === false && hasFile !== undefined) return !hasFile
  return byLook
}

function hasPathspecFile(call: Call): boolean {
  return optionValue(call, ['--pathspec-from-file']) !== undefined
}

// A single name may be a branch. A folder, a pattern or a name with a file's ending is not.
function looksLikePath({ text, isGlob }: Word): boolean {
  if (
    text === '.' ||
    text === '..' ||
    text.endsWith('/') ||
    text.startsWith('./') ||
    text.startsWith('../') ||
    text.startsWith(':/') ||
    isGlob
  )
    return true
  return /\.[a-z][a-z0-9]{0,4}$/.test(text) && !/\.x$/.test(text)
}

function restoresFiles(call: Call, facts: Facts): TestResult {
  const isStaged = findOption(call, ['-S', '--staged']) !== undefined
  const isWorktree = findOption(call, ['-W', '--worktree']) !== undefined
  if (isStaged && !isWorktree) return undefined
  if (hasPathspecFile(call)) return true
  const files = call.operands.slice(1)
  if (files.length === 0) return undefined
  const isFromTree = isStaged || optionValue(call, ['-s', '--source']) !== undefined
  return rateDiscard(call, files, facts, isFromTree ? 'version' : 'index')
}

function overwritesTree(call: Call): TestResult {
  const sub = call.operands[0]?.text
  if (sub === 'read-tree')
    return findOption(call, ['--reset']) && findOption(call, ['-u']) ? findOption(call, ['--reset'])?.word : undefined
  if (sub !== 'checkout-index' || findOption(call, ['--prefix']) !== undefined) return undefined
  return findOption(call, ['-f', '--force'])?.word
}

function deletesBranch(call: Call): TestResult {
  const isForced =
    findOption(call, ['-D']) !== undefined ||
    (findOption(call, ['-d', '--delete']) !== undefined && findOption(call, ['-f', '--force']) !== undefined)
  if (!isForced) return undefined
  const names = call.operands.slice(1)
  const main = names.find(({ text }) => isMainBranch(text))
  if (main !== undefined) return main
  return { at: (names[0] ?? call.command).span, isUncertain: true }
}

const AT_ONCE = new Set(['now', 'all', '0', 'now.', 'today'])

function expiresHistory(call: Call): TestResult {
  const [sub, second] = call.operands
  if (sub?.text === 'gc')
    return AT_ONCE.has(optionValue(call, ['--prune']) ?? '') ? findOption(call, ['--prune'])?.word : undefined
  if (sub?.text === 'reflog') return second?.text === 'expire' || second?.text === 'delete' ? second : undefined
  if (sub?.text === 'update-ref') return findOption(call, ['-d', '--delete'])?.word
  if (sub?.text === 'prune')
    return AT_ONCE.has(optionValue(call, ['--expire']) ?? '') || call.operands.some(({ text }) => text === 'now')
      ? sub
      : undefined
  return undefined
}

function skipsHooks(call: Call): TestResult {
  const sub = call.operands[0]?.text
  const noVerify = call.options.find(({ name }) => name === '--no-verify' || (name === '-n' && sub === 'commit'))
  if (noVerify !== undefined) return noVerify.word
  const setting = call.options.find(
    ({ name, value }) => name === '-c' && (value ?? '').toLowerCase().startsWith('core.hookspath='),
  )
  if (setting !== undefined) return { at: setting.word.span, isUncertain: true }
  const key = sub === 'config' ? call.operands.find(({ text }) => text.toLowerCase() === 'core.hookspath') : undefined
  return key !== undefined && call.operands.at(-1) !== key ? { at: key.span, isUncertain: true } : undefined
}

const RUNNING_SETTINGS = [
  'core.sshcommand=',
  'core.fsmonitor=',
  'core.gitproxy=',
  'credential.helper=',
  'diff.external=',
  'core.editor=',
  'sequence.editor=',
  'uploadpack.packobjectshook=',
]

function runsBySetting(call: Call): TestResult {
  for (const { name, value = '', word } of call.options) {
    if (name !== '-c') continue
    const setting = value.toLowerCase()
    const isShell = setting.startsWith('alias.') && value.slice(value.indexOf('=') + 1).startsWith('!')
    if (isShell) return word
    const running = RUNNING_SETTINGS.find((key) => setting.startsWith(key))
    const program = running === undefined ? '' : setting.slice(running.length)
    if (program !== '' && !HARMLESS_PROGRAMS.has(program)) return { at: word.span, isUncertain: true }
  }
  return undefined
}

const HARMLESS_PROGRAMS = new Set([
  'true',
  'false',
  'cat',
  ':',
  'store',
  'cache',
  'osxkeychain',
  'manager',
  'vim',
  'vi',
  'nano',
  'ssh',
])

function otherSystems(call: Call): TestResult {
  const sub = call.operands[0]
  if (sub === undefined) return undefined
  const has = (...names: string[]) => findOption(call, names) !== undefined
  const isLoss: Readonly<Record<string, boolean>> = {
    'hg update': has('-C', '--clean'),
    'hg up': has('-C', '--clean'),
    'hg revert': has('-a', '--all', '--no-backup'),
    'hg strip': true,
    'hg purge': true,
    'hg rollback': true,
    'svn revert': true,
    'svn cleanup': has('--remove-unversioned', '--remove-ignored'),
    'svn delete': call.operands.some(({ text }) => text.includes('://')),
    'jj abandon': true,
    'p4 revert': true,
    'p4 obliterate': has('-y'),
    'fossil revert': true,
  }
  return isLoss[`${call.name} ${sub.text}`] === true ? sub : undefined
}
