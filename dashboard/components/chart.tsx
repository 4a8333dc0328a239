export interface ChartSeries {
  readonly name: string
  readonly tone: 'main' | 'green' | 'red' | 'amber'
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  /** What it shows: the accessible name of the picture and of its table. */
  readonly label: string
  readonly kind: 'bars' | 'lines'
  /** The start of each step, as text. */
  readonly steps: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  /** The heading of the table's first column. */
  readonly stepName: string
  /** The text that opens the table. */
  readonly tableLabel: string
}

/** A small chart as plain SVG, with the same values as a table for screen readers and for exact numbers. */
export function Chart({ label, kind, steps, series, format, stepName, tableLabel }: ChartProps) {
  const max = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const [first = '', last = ''] = [steps[0], steps.at(-1)]
  return (
    <div class="chart">
      <p class="legend">
        {series.map(({ name, tone }) => (
          <span key={name}>
            <i class={tone} aria-hidden="true" /> {name}
          </span>
        ))}
        <span class="most">{format(max)}</span>
      </p>
      <svg viewBox={`0 0 ${String(width)} ${String(height)}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line class="base" x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} />
        <line class="base" x1={0} x2={width} y1={0.5} y2={0.5} />
        {series.map((each, index) =>
          kind === 'bars' ? (
            <Bars key={each.name} {...each} max={max} position={index} count={series.length} />
          ) : (
            <path key={each.name} class={`line ${each.tone}`} d={linePath(each.values, max)} />
          ),
        )}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{first}</span>
        <span>{last}</span>
      </p>
      <details>
        <summary>{tableLabel}</summary>
        <div class="table" tabIndex={0} role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{stepName}</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {steps.map((step, index) => (
                <tr key={step}>
                  <td>{step}</td>
                  {series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {values[index] === null || values[index] === undefined ? '—' : format(values[index])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  )
}

interface BarsProps extends ChartSeries {
  readonly max: number
  /** The position of this series among the `count` series of a step. */
  readonly position: number
  readonly count: number
}

function Bars({ values, tone, max, position, count }: BarsProps) {
  const slot = width / values.length
  const barWidth = (slot * 0.8) / count
  return (
    <g class={`bar ${tone}`}>
      {values.map((value, index) => {
        const barHeight = ((value ?? 0) / max) * (height - 4)
        return (
          <rect
            key={index}
            x={index * slot + slot * 0.1 + position * barWidth}
            y={height - barHeight}
            width={barWidth}
            height={barHeight}
          />
        )
      })}
    </g>
  )
}

/** A step line. A gap for null; a value between two gaps is a short dash. */
function linePath(values: readonly (number | null)[], max: number): string {
  const slot = width / values.length
  return values
    .map((value, index) => {
      if (value === null) return ''
      const y = height - 2 - (value / max) * (height - 4)
      const x = index * slot
      return `${(values[index - 1] ?? null) === null ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}L${(x + slot).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

const width = 600
const height = 120
