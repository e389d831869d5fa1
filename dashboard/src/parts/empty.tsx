// An empty list: the reason, and a command to change that.

import type { ComponentChildren } from 'preact'
import { CopyCommand } from './copy-command.tsx'
import { Icon, type IconName } from './icons.tsx'

interface Props {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly command?: string
}

export function Empty({ icon, title, children, command }: Props) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && <CopyCommand command={command} />}
    </div>
  )
}
