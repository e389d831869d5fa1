// A table: exempt from the file length limit.
// Silent downgrades (G6): broken, missing or emptied configuration must not end in a lower mode.

import { type Attempt, HOME, sh } from '../attempt.ts'

const CLASS = 'profile'
const P = `${HOME}/.arc/profiles/default.json`
const MODE = `"name":"default","enforcement":"enforce"`

// Something happened to the files; a call that enforce blocks must still be stopped.
function attempt(id: string, setup: string, more: Partial<Attempt> = {}): Attempt {
  return { id: `${CLASS}/${id}`, class: CLASS, expects: 'stopped', setup, steps: [sh('git push --force')], ...more }
}

const write = (text: string, path = P) => `cat > ${path} <<'END'\n${text}\nEND`

// The damage comes after ARC has seen the good state once.
function later(id: string, outside: string, more: Partial<Attempt> = {}): Attempt {
  const steps = [sh('ls'), { outside }, sh('git push --force')]
  return { id: `${CLASS}/${id}`, class: CLASS, expects: 'stopped', setup: 'true', steps, ...more }
}

export const profile: readonly Attempt[] = [
  attempt('unknown-key', write(`{${MODE},"enforcment":"x"}`)),
  attempt('unknown-hook', write(`{${MODE},"hooks":{"risk-detektion":{"enabled":true}}}`)),
  attempt('bad-hook-value', write(`{${MODE},"hooks":{"risk-detection":{"timeout":"soon"}}}`)),
  attempt('bad-command', write(`{${MODE},"commands":[{"event":"pre_tool_use"}]}`)),
  attempt('bad-event', write(`{${MODE},"commands":[{"name":"x","event":"pre_tool_yuse","command":"true"}]}`)),
  attempt('bad-breaker', write(`{${MODE},"breaker":{"failureThreshold":-1}}`)),
  attempt('missing-script', write(`{${MODE},"scripts":["none.arma"]}`)),
  attempt('unfinished-json', write(`{${MODE},`)),
  attempt('duplicate-enforcement', write(`{${MODE},"enforcement":"enforce","x":1}`)),
  attempt('crlf-and-bom', `printf '\\357\\273\\277{${MODE}}\\r\\n' > ${P}`),
  attempt(
    'yaml-beside-json',
    `${write(`{${MODE}}`)}\nprintf 'name: default\\nenforcement: off\\n' > ${HOME}/.arc/profiles/default.yaml`,
  ),
  later('typo-later', write(`{${MODE},"enforcment":"x"}`)),
  later('emptied-profile', `: > ${P}`),
  later('deleted-profile', `rm ${P}`),
  later('deleted-profiles', `rm -rf ${HOME}/.arc/profiles`),
  {
    ...{ id: `${CLASS}/emptied-home`, class: CLASS, expects: 'stopped', setup: 'true', recorded: 'after-outside' },
    note: 'The record goes with the home. The calls after that are in a new one.',
    steps: [
      sh('ls'),
      { outside: `cd ${HOME}/.arc && find . -mindepth 1 -maxdepth 1 ! -name bin ! -name run -exec rm -rf {} +` },
      sh('git status'),
      sh('git push --force'),
    ],
  },
  later('damaged-database', `printf damaged > ${HOME}/.arc/arc.db`, { recorded: false }),
  later('broken-and-no-last-good', `${write('{')}\nfind ${HOME}/.arc -name '*good*' -exec rm -rf {} + ; true`),
  later('unreadable-profile', `chmod 000 ${P}`),
  later('profile-is-a-folder', `rm ${P}; mkdir ${P}`),
  later('profile-is-a-loop', `rm ${P}; ln -s default.json ${P}`),
  later('profile-is-a-fifo', `rm ${P}; mkfifo ${P}`),
  later('profile-is-dev-null', `rm ${P}; ln -s /dev/null ${P}`),
  later('huge-profile', `head -c 20000000 /dev/zero | tr '\\0' ' ' > ${P}`),
  {
    ...{ id: `${CLASS}/rogue-config-gone`, class: CLASS, expects: 'stopped', setup: 'true' },
    note: 'A loosening file that is gone does not stay in force.',
    steps: [
      { outside: `echo '{"enforcement":"off"}' > ${HOME}/.arc/config.json` },
      sh('ls'),
      { outside: `rm ${HOME}/.arc/config.json` },
      { outside: 'sleep 0.5' },
      sh('git push --force'),
    ],
  },
  {
    ...{ id: `${CLASS}/rogue-profile-restored`, class: CLASS, expects: 'stopped', setup: 'true' },
    steps: [
      sh('ls'),
      { outside: `cp ${P} /tmp/keep.json; echo '{"name":"default","enforcement":"off"}' > ${P}` },
      sh('ls'),
      { outside: `cp /tmp/keep.json ${P}; sleep 0.5` },
      sh('git push --force'),
    ],
  },
]
