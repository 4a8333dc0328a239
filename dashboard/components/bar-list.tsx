import { axisTicks } from './chart-scale.ts'
import { ChartFrame, type ChartFrameProps } from './chart-frame.tsx'

export interface BarListProps extends Pick<ChartFrameProps, 'label' | 'stepName' | 'tableLabel' | 'format' | 'more' | 'pathOf'> {
  /** What each bar is, and how long it is. */
  readonly bars: readonly { readonly name: string; readonly value: number }[]
  readonly valueName: string
  readonly tone: 'main' | 'green' | 'red' | 'amber'
  /** The share that a bar shows beside its value, in percent; null: none. */
  readonly shareOf: (index: number) => number | null
}

/** Bars below one another, each with its name, its value and its share: a funnel, or causes. With an axis and gridlines. */
export function BarList({ bars, valueName, tone, shareOf, ...frame }: BarListProps) {
  const ticks = axisTicks(Math.max(0, ...bars.map(({ value }) => value)))
  const top = ticks.at(-1) ?? 1
  const percent = (value: number): string => `${String((100 * value) / top)}%`
  return (
    <ChartFrame
      {...frame}
      hasLegend={false}
      steps={bars.map(({ name }) => name)}
      series={[{ name: valueName, tone, values: bars.map(({ value }) => value) }]}
      positionOf={(step, width) => ({ x: width / 2, y: (step + 1) * rowHeight })}
    >
      {({ current, choose, press }) => (
        <div class="bar-list">
          <ol>
            {bars.map(({ name, value }, index) => (
              <li
                key={name}
                class={index === current ? 'chosen' : ''}
                onPointerEnter={() => choose(index)}
                onClick={(event) => press(index, event)}
              >
                <span>{name}</span>
                <strong>
                  {frame.format(value)} <small>{shareOf(index) === null ? '' : `${String(shareOf(index))} %`}</small>
                </strong>
                <i class={tone} style={{ width: percent(value) }} />
              </li>
            ))}
          </ol>
          <div class="grid" aria-hidden="true">
            {ticks.map((tick) => (
              <i key={tick} style={{ left: percent(tick) }} />
            ))}
          </div>
          <p class="ticks" aria-hidden="true">
            {ticks.map((tick) => (
              <span key={tick} style={{ left: percent(tick) }}>
                {frame.format(tick)}
              </span>
            ))}
          </p>
        </div>
      )}
    </ChartFrame>
  )
}

/** As in chart.css. */
const rowHeight = 56
