// The icons, as lines on a 16 by 16 grid. Decorative: each icon has a label beside it.

const PATHS = {
  overview: 'M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5H7v3H2.5z',
  pipeline: 'M2 4h8M2 8h12M2 12h5M12 2.5v3M9 10.5v3M14 8h0',
  feed: 'M2 3.5h12M2 8h12M2 12.5h7',
  sessions: 'M2 3.5h5M5 7h6M8 10.5h6M2 13.5h12',
  approvals: 'M8 1.8l5 2v3.7c0 3-2 5.3-5 6.7-3-1.4-5-3.7-5-6.7V3.8zM5.8 8l1.6 1.6 3-3.2',
  roundtables: 'M2 3h8.5v5.5H6L3.8 10.5V8.5H2zM12 5.5h2V11h-1.5v2l-2.3-2H7.5',
  tasks: 'M2.5 2.5h3v11h-3zM6.8 2.5h3v7h-3zM11 2.5h3v4h-3z',
  config:
    'M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M9.2 4.5a1.65 1.65 0 1 0 3.3 0a1.65 1.65 0 1 0-3.3 0M3.5 11.5a1.65 1.65 0 1 0 3.3 0a1.65 1.65 0 1 0-3.3 0',
  pass: 'M3 8.5l3.3 3.3L13 5',
  flag: 'M4 14V2.5h8.5L10.5 5.5l2 3H4',
  ask: 'M5.5 5.6A2.5 2.5 0 1 1 8 8.3v1.4M8 12.3v.2',
  block: 'M5.3 2h5.4L14 5.3v5.4L10.7 14H5.3L2 10.7V5.3zM5 8h6',
  error: 'M8 2.2L14.3 13.3H1.7zM8 6.3v3.3M8 11.5v.2',
  skip: 'M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  pause: 'M5.5 3v10M10.5 3v10',
  play: 'M5 3l7.5 5L5 13z',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13 9.7A5.5 5.5 0 0 1 6.3 3 5.5 5.5 0 1 0 13 9.7',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.1M6.7 6.5h.1M9.3 6.5h.1M12 6.5h.1M5 9.5h6',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L14 14',
  up: 'M8 13V3M4 7l4-4 4 4',
  edit: 'M10.5 2.8l2.7 2.7L6 12.7l-3.2.5.5-3.2z',
  shield: 'M8 1.8l5 2v3.7c0 3-2 5.3-5 6.7-3-1.4-5-3.7-5-6.7V3.8z',
  person: 'M8 2.5a2.7 2.7 0 1 0 0 5.4a2.7 2.7 0 1 0 0-5.4M3 14c.4-2.7 2.3-4.2 5-4.2s4.6 1.5 5 4.2',
  bolt: 'M9 1.8L3.5 9H8l-1 5.2L12.5 7H8z',
  check: 'M3 8.5l3.3 3.3L13 5',
  right: 'M6 3.5L10.5 8 6 12.5',
  eye: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8M8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}

/** The logo of ARC. */
export function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <g fill="none" stroke-width="2" stroke-linecap="round">
        <path d="M2 15a8 8 0 0 1 16 0" stroke="var(--pass-fill)" />
        <path d="M6 15a4 4 0 0 1 8 0" stroke="var(--ask-fill)" />
      </g>
      <circle cx="10" cy="15" r="1.3" fill="currentColor" />
    </svg>
  )
}
