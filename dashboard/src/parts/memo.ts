// Renders a component only when its props change. (Preact has this only in its compatibility layer.)

import { Component, type ComponentChildren, type ComponentType } from 'preact'

export function memo<P extends object>(draw: (props: P) => ComponentChildren): ComponentType<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = new Set([...Object.keys(next), ...Object.keys(this.props)]) as Set<keyof P>
      return [...keys].some((key) => next[key] !== (this.props as P)[key])
    }

    override render(props: P): ComponentChildren {
      return draw(props)
    }
  }
}
