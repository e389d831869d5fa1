// Decisions over time as a stacked plot by uPlot on a canvas; the legend has the same numbers as text.

import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { Bucket } from '../../../src/protocol/views.ts'
import { formatCount } from '../model/format.ts'
import { STACK_ORDER, stackBuckets, sumBuckets } from '../model/stack.ts'
import { theme } from '../state/theme.ts'
import { DecisionBadge } from './decision.tsx'

interface Props {
  readonly buckets: readonly Bucket[]
  readonly stepMs: number
  /** The counted unit, such as `steps`. */
  readonly noun: string
}

const HEIGHT = 200

export function DecisionsPlot({ buckets, stepMs, noun }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const pointedAt = useSignal<number | undefined>(undefined)
  const shade = theme.value
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const made = new uPlot(buildPlotOptions(element, stepMs, pointedAt), buildPlotData(buckets), element)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [shade, stepMs])
  useEffect(() => plot.current?.setData(buildPlotData(buckets)), [buckets])
  return (
    <>
      <div class="plot" ref={box} aria-hidden="true" />
      <Legend buckets={buckets} pointedAt={pointedAt} stepMs={stepMs} noun={noun} />
    </>
  )
}

interface LegendProps extends Props {
  readonly pointedAt: { readonly value: number | undefined }
}

function Legend({ buckets, pointedAt, stepMs, noun }: LegendProps) {
  const index = useComputed(() => pointedAt.value).value
  const bucket = index === undefined ? undefined : buckets[index]
  const counts = bucket ?? sumBuckets(buckets)
  const when = bucket === undefined ? formatPeriod(buckets, stepMs) : formatBucketTime(bucket.at, stepMs)
  return (
    <div class="legend">
      {STACK_ORDER.map((key) => (
        <span key={key} class="row">
          <i class={`swatch is-${key}`} aria-hidden="true" />
          <DecisionBadge tone={key} />
          <span>{formatCount(counts[key])}</span>
        </span>
      ))}
      {counts.error > 0 && (
        <span class="row">
          <DecisionBadge tone="error" word="hook errors" />
          <span>{formatCount(counts.error)}</span>
        </span>
      )}
      <span class="faint end-of">
        {noun}, {when}
      </span>
    </div>
  )
}

function formatPeriod(buckets: readonly Bucket[], stepMs: number): string {
  const hours = (buckets.length * stepMs) / 3_600_000
  return hours <= 1 ? 'last hour' : `last ${Math.round(hours)} hours`
}

function formatBucketTime(at: number, stepMs: number): string {
  const time = (ms: number): string => {
    const date = new Date(ms)
    return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
  }
  return stepMs <= 60_000 ? time(at) : `${time(at)} – ${time(at + stepMs)}`
}

function buildPlotData(buckets: readonly Bucket[]): uPlot.AlignedData {
  const [times, ...levels] = stackBuckets(buckets)
  return [[...times], ...levels.map((level) => [...level])]
}

function buildPlotOptions(
  element: HTMLElement,
  stepMs: number,
  pointedAt: { value: number | undefined },
): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const bars = uPlot.paths.bars?.({ size: [0.72, 48] })
  const axis = { stroke: colour('--faint'), font: `11px ${style.fontFamily}`, ticks: { show: false } }
  const grid = { stroke: colour('--line'), width: 1 }
  return {
    width: element.clientWidth,
    height: HEIGHT,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      // Room for half of the first and of the last bar.
      x: { range: (_, min, max) => [min - stepMs / 2_000, max + stepMs / 2_000] },
      y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.05))] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 70, size: 28, values: '{HH}:{mm}' },
      {
        ...axis,
        grid,
        size: 40,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 5e4, 1e5, 1e6],
        values: (_, ticks) => ticks.map(formatCount),
      },
    ],
    series: [
      {},
      ...STACK_ORDER.toReversed().map((key) => ({
        label: key,
        fill: colour(`--${key}-fill`),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => {
          pointedAt.value = cursor.idx ?? undefined
        },
      ],
    },
  }
}
