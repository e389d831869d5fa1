// The configuration in force and the source of each setting. Read-only: changes are made in a terminal.

import type { ConfigView, ProblemView } from '../../../src/protocol/views.ts'
import { CopyCommand } from '../parts/copy-command.tsx'
import { Icon } from '../parts/icons.tsx'
import { ModeBadge } from '../parts/mode.tsx'
import { SafeText } from '../parts/safe-text.tsx'
import { usePolled } from '../state/resource.ts'
import { buildAddress, route } from '../state/route.ts'

export function ConfigPage() {
  const profile = route.value.params.get('profile')
  const path = profile === null ? '/v1/config' : `/v1/config?profile=${encodeURIComponent(profile)}`
  const { data, failure } = usePolled<ConfigView>(path, 5_000)
  return (
    <div class="page" data-page="config">
      <div class="inner">
        {failure !== undefined && <p class="callout is-error">{failure.message}</p>}
        {data !== undefined && <Config config={data} />}
      </div>
    </div>
  )
}

function Config({ config }: { readonly config: ConfigView }) {
  const { name, file, inUse, enforcement, tool, isStale, problems, profiles, home } = config
  return (
    <>
      <section class="panel strip" aria-label="Profile">
        <div>
          <h3>Profile</h3>
          <span class="big">
            <SafeText text={name} isOneLine={true} />
          </span>
          <span class="soft">{inUse ? 'in use' : 'not in use'}</span>
        </div>
        <div>
          <h3>Enforcement</h3>
          <span class="big">
            <ModeBadge mode={enforcement} />
          </span>
        </div>
        {tool !== undefined && (
          <div>
            <h3>Agent</h3>
            <span class="big">
              <SafeText text={tool} isOneLine={true} />
            </span>
          </div>
        )}
        <div class="grow">
          <h3>Files</h3>
          <span class="mono">
            <SafeText text={file ?? 'no file: defaults apply'} isOneLine={true} />
          </span>
          <span class="mono faint">
            <SafeText text={home} isOneLine={true} />
          </span>
        </div>
      </section>
      {(problems.length > 0 || isStale) && <Problems problems={problems} isStale={isStale} />}
      <Settings config={config} />
      <Profiles profiles={profiles} />
      <p class="soft row wrap">
        This page is read-only. Change a setting in a terminal:{' '}
        <CopyCommand command="arc profile set enforcement enforce" />
      </p>
    </>
  )
}

function Profiles({ profiles }: Pick<ConfigView, 'profiles'>) {
  return (
    <section class="panel" aria-label="Profiles">
      <header>
        <h2>Profiles</h2>
      </header>
      <ul class="needs">
        {profiles.map(({ name: other, active }) => (
          <li key={other}>
            <a href={buildAddress('config', undefined, { profile: other })}>
              <SafeText text={other} isOneLine={true} />
            </a>
            {active && (
              <span class="tag is-pass toned">
                <Icon name="check" size={11} /> in use
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Problems({ problems, isStale }: { readonly problems: readonly ProblemView[]; readonly isStale: boolean }) {
  return (
    <section class="panel" aria-label="Problems" data-card="problems">
      <header>
        <span class="decision is-block">
          <Icon name="error" size={15} />
        </span>
        <h2>{isStale ? 'The files are invalid: the last good configuration is in force' : 'Problems'}</h2>
      </header>
      <ul class="needs">
        {problems.map(({ file, line, column, message }) => (
          <li key={`${file ?? ''} ${line ?? ''} ${message}`}>
            {file !== undefined && (
              <span class="mono soft">
                <SafeText text={[file, line, column].filter((part) => part !== undefined).join(':')} isOneLine={true} />
              </span>
            )}
            <span class="grow">
              <SafeText text={message} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Settings({ config: { settings } }: { readonly config: ConfigView }) {
  return (
    <section class="panel" aria-label="Settings in force">
      <header>
        <h2>Settings in force</h2>
        <span class="end faint">read-only</span>
      </header>
      <table class="settings">
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Value</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {settings.map(({ key, value, from }) => (
            <tr key={key} data-default={from === 'default' ? '' : undefined}>
              <th scope="row" class="mono">
                <SafeText text={key} isOneLine={true} />
              </th>
              <td class="mono">
                <SafeText text={typeof value === 'string' ? value : (JSON.stringify(value) ?? '')} />
              </td>
              <td class="mono faint">
                <SafeText text={from} isOneLine={true} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
