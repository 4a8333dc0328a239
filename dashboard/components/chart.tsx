import { axisTicks, labelStride, stepAt } from './chart-scale.ts'
import { type ChartDrawing, ChartFrame, type ChartFrameProps, type ChartSeries } from './chart-frame.tsx'

export interface ChartProps extends Omit<ChartFrameProps, 'children' | 'positionOf'> {
  readonly kind: 'bars' | 'lines'
  /** Below the axis, where each has little room. */
  readonly stepLabels: readonly string[]
  /** A value beside its gridline. */
  readonly formatTick: (value: number) => string
}

/**
 * Values over time as plain SVG: axes with round numbers, gridlines, and the values of a step on hover and focus. It is drawn for the width that it has, so that
 * texts keep their size.
 */
export function Chart({ kind, stepLabels, formatTick, ...frame }: ChartProps) {
  const { steps, series } = frame
  const max = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const ticks = axisTicks(max)
  const top = ticks.at(-1) ?? 1
  const left = Math.max(...ticks.map((tick) => formatTick(tick).length)) * digitWidth + axisGap
  const slotOf = (width: number): number => (width - left - rightGap) / Math.max(1, steps.length)
  const yOf = (value: number): number => topGap + (1 - value / top) * plotHeight
  return (
    <ChartFrame {...frame} positionOf={(step, width) => ({ x: left + (step + 0.5) * slotOf(width), y: topGap })}>
      {({ width, current, choose, press }: ChartDrawing) => {
        const slot = slotOf(width)
        const stepOf = ({ clientX, currentTarget }: { clientX: number; currentTarget: Element }): number | null =>
          stepAt(clientX - currentTarget.getBoundingClientRect().left, { left, width: width - left - rightGap, count: steps.length })
        const stride = labelStride(steps.length, width - left, Math.max(...stepLabels.map(({ length }) => length)) * digitWidth + 14)
        const bars = series.filter(({ isBefore = false }) => kind === 'bars' && !isBefore)
        return (
          <svg
            width={width}
            height={height}
            viewBox={`0 0 ${String(width)} ${String(height)}`}
            aria-hidden="true"
            onPointerMove={(event) => choose(stepOf(event))}
            onClick={(event) => press(stepOf(event), event)}
          >
            {ticks.map((tick) => (
              <g key={tick}>
                <line class={tick === 0 ? 'axis' : 'grid'} x1={left} x2={width - rightGap} y1={yOf(tick)} y2={yOf(tick)} />
                <text class="tick" x={left - 8} y={yOf(tick)} text-anchor="end" dominant-baseline="middle">
                  {formatTick(tick)}
                </text>
              </g>
            ))}
            {current !== null && <rect class="chosen" x={left + current * slot} y={topGap} width={slot} height={plotHeight} />}
            {stepLabels.map((label, index) =>
              index % stride === 0 ? (
                <text key={index} class="tick" x={left + (index + 0.5) * slot} y={height - 6} text-anchor="middle">
                  {label}
                </text>
              ) : null,
            )}
            {bars.map((each, index) => (
              <Bars key={each.name} {...each} {...{ left, slot, yOf }} position={index} count={bars.length} />
            ))}
            {series
              .filter((each) => !bars.includes(each))
              .map((each) => (
                <Line key={each.name} {...each} {...{ left, slot, yOf, current }} />
              ))}
          </svg>
        )
      }}
    </ChartFrame>
  )
}

interface Scale {
  readonly left: number
  /** The width of a step. */
  readonly slot: number
  readonly yOf: (value: number) => number
}

interface BarsProps extends ChartSeries, Scale {
  /** The position of this series among the `count` series of a step. */
  readonly position: number
  readonly count: number
}

function Bars({ values, tone, left, slot, yOf, position, count }: BarsProps) {
  const barWidth = Math.min(maxBarWidth, (slot * 0.75) / count)
  const indent = (slot - barWidth * count) / 2
  return (
    <g class={`bar ${tone}`}>
      {values.map((value, index) =>
        value === null || value === 0 ? null : (
          <rect
            key={index}
            x={left + index * slot + indent + position * barWidth}
            y={yOf(value)}
            width={Math.max(1, barWidth - 1)}
            height={yOf(0) - yOf(value)}
          />
        ),
      )}
    </g>
  )
}

/** Straight lines between the middles of steps, and a dot for a value between two gaps and for the current one. */
function Line({ values, tone, isBefore = false, left, slot, yOf, current }: ChartSeries & Scale & { current: number | null }) {
  const xOf = (index: number): number => left + (index + 0.5) * slot
  const at = (index: number): number | null => values[index] ?? null
  const path = values
    .map((value, index) => (value === null ? '' : `${at(index - 1) === null ? 'M' : 'L'}${xOf(index).toFixed(1)} ${yOf(value).toFixed(1)}`))
    .join('')
  const isDot = (index: number): boolean => index === current || (at(index - 1) === null && at(index + 1) === null)
  return (
    <g class={`line ${tone}${isBefore ? ' before' : ''}`}>
      <path d={path} />
      {values.map((value, index) => (value !== null && isDot(index) ? <circle key={index} cx={xOf(index)} cy={yOf(value)} r={3} /> : null))}
    </g>
  )
}

const height = 220
const topGap = 10
const plotHeight = 180
const rightGap = 4
const axisGap = 14
/** Of the small digits of an axis, which are as wide as each other. */
const digitWidth = 6.6
const maxBarWidth = 44
