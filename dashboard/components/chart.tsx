import './chart.css'

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
        {series.map((each, at) =>
          kind === 'bars' ? (
            <Bars key={each.name} {...each} max={max} index={at} count={series.length} />
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
              {steps.map((step, at) => (
                <tr key={step}>
                  <td>{step}</td>
                  {series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {values[at] === null || values[at] === undefined ? '—' : format(values[at])}
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

function Bars({ values, tone, max, index, count }: ChartSeries & { max: number; index: number; count: number }) {
  const slot = width / values.length
  const each = (slot * 0.8) / count
  return (
    <g class={`bar ${tone}`}>
      {values.map((value, at) => {
        const barHeight = ((value ?? 0) / max) * (height - 4)
        return <rect key={at} x={at * slot + slot * 0.1 + index * each} y={height - barHeight} width={each} height={barHeight} />
      })}
    </g>
  )
}

/** A step line. A gap for null; a value between two gaps is a short dash. */
function linePath(values: readonly (number | null)[], max: number): string {
  const slot = width / values.length
  return values
    .map((value, at) => {
      if (value === null) return ''
      const y = height - 2 - (value / max) * (height - 4)
      const x = at * slot
      return `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}L${(x + slot).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

const width = 600
const height = 120
