// The icons, drawn as lines on a 16 by 16 grid. Decorative: the word beside an icon says what it means.

const PATHS = {
  overview: 'M2.5 2.5h4.5v6H2.5zM9 2.5h4.5v3.5H9zM9 8h4.5v5.5H9zM2.5 10.5H7v3H2.5z',
  pipeline: 'M2 4h8M2 8h12M2 12h5M12 2.5v3M9 10.5v3M14 8h0',
  feed: 'M2 3.5h12M2 8h12M2 12.5h7',
  sessions: 'M2 3.5h5M5 7h6M8 10.5h6M2 13.5h12',
  approvals: 'M8 1.8l5 2v3.7c0 3-2 5.3-5 6.7-3-1.4-5-3.700-5-6.700V3.800zM5.800 8l1.600 1.600 3-3.200',
  roundtables: 'M2 3h8.500v5.500H6L3.800 10.500V8.500H2zM12 5.500h2V11h-1.500v2l-2.300-2H7.500',
  tasks: 'M2.500 2.500h3v11h-3zM6.800 2.500h3v7h-3zM11 2.500h3v4h-3z',
  config:
    'M2 4.500h7M12.500 4.500H14M2 11.500h1.500M7 11.500h7M9.200 4.500a1.650 1.650 0 1 0 3.300 0a1.650 1.650 0 1 0-3.300 0M3.500 11.500a1.650 1.650 0 1 0 3.300 0a1.650 1.650 0 1 0-3.300 0',
  pass: 'M3 8.500l3.300 3.300L13 5',
  flag: 'M4 14V2.500h8.500L10.500 5.500l2 3H4',
  ask: 'M5.500 5.600A2.500 2.500 0 1 1 8 8.300v1.400M8 12.300v.2',
  block: 'M5.300 2h5.400L14 5.300v5.400L10.700 14H5.300L2 10.700V5.300zM5 8h6',
  error: 'M8 2.200L14.300 13.300H1.700zM8 6.300v3.300M8 11.500v.2',
  skip: 'M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  pause: 'M5.500 3v10M10.500 3v10',
  play: 'M5 3l7.500 5L5 13z',
  sun: 'M8 5.200a2.800 2.800 0 1 0 0 5.600a2.800 2.800 0 1 0 0-5.600M8 1.500v1.300M8 13.200v1.300M1.500 8h1.300M13.200 8h1.300M3.400 3.400l.9.9M11.700 11.700l.9.9M12.600 3.400l-.9.9M4.300 11.700l-.9.9',
  moon: 'M13 9.700A5.500 5.500 0 0 1 6.300 3 5.500 5.500 0 1 0 13 9.700',
  keyboard: 'M1.500 4h13v8h-13zM4 6.500h.1M6.700 6.500h.1M9.300 6.500h.1M12 6.500h.1M5 9.500h6',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9a4.500 4.500 0 1 0 0-9M10.300 10.300L14 14',
  up: 'M8 13V3M4 7l4-4 4 4',
  edit: 'M10.500 2.800l2.700 2.700L6 12.700l-3.200.5.5-3.200z',
  shield: 'M8 1.800l5 2v3.700c0 3-2 5.300-5 6.700-3-1.400-5-3.700-5-6.700V3.800z',
  person:
    'M8 2.500a2.700 2.700 0 1 0 0 5.400a2.700 2.700 0 1 0 0-5.400M3 14c.4-2.700 2.300-4.200 5-4.200s4.600 1.500 5 4.200',
  bolt: 'M9 1.800L3.500 9H8l-1 5.200L12.500 7H8z',
  check: 'M3 8.500l3.300 3.300L13 5',
  right: 'M6 3.500L10.500 8 6 12.500',
  eye: 'M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8M8 6a2 2 0 1 0 0 4a2 2 0 1 0 0-4',
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

/** The sign of ARC. */
export function Logo() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <g fill="none" stroke-width="2" stroke-linecap="round">
        <path d="M2 15a8 8 0 0 1 16 0" stroke="var(--pass-fill)" />
        <path d="M6 15a4 4 0 0 1 8 0" stroke="var(--ask-fill)" />
      </g>
      <circle cx="10" cy="15" r="1.300" fill="currentColor" />
    </svg>
  )
}
