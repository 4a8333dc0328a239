import './chart.css'

export interface Series {
  readonly name: string
  readonly tone: 'main' | 'green' | 'red' | 'amber'
  readonly values: readonly (number | null)[]
}

export interface ChartProps {
  /** What it shows, for the picture's name and its table's. */
  readonly label: string
  readonly kind: 'bars' | 'lines'
  /** When each step begins, as it is to be read. */
  readonly steps: readonly string[]
  readonly series: readonly Series[]
  readonly write: (value: number) => string
  /** The table's first column, and the word that opens it. */
  readonly stepName: string
  readonly asTable: string
}

/** A small chart as plain SVG, and the same figures as a table for who does not see it or wants the numbers. */
export function Chart({ label, kind, steps, series, write, stepName, asTable }: ChartProps) {
  const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const [first = '', last = ''] = [steps[0], steps.at(-1)]
  return (
    <div class="chart">
      <p class="legend">
        {series.map(({ name, tone }) => (
          <span key={name}>
            <i class={tone} aria-hidden="true" /> {name}
          </span>
        ))}
        <span class="most">{write(most)}</span>
      </p>
      <svg viewBox={`0 0 ${String(width)} ${String(height)}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <line class="base" x1={0} x2={width} y1={height - 0.5} y2={height - 0.5} />
        <line class="base" x1={0} x2={width} y1={0.5} y2={0.5} />
        {series.map((each, at) =>
          kind === 'bars' ? (
            <Bars key={each.name} {...each} most={most} place={at} of={series.length} />
          ) : (
            <path key={each.name} class={`line ${each.tone}`} d={lineOf(each.values, most)} />
          ),
        )}
      </svg>
      <p class="ends" aria-hidden="true">
        <span>{first}</span>
        <span>{last}</span>
      </p>
      <details>
        <summary>{asTable}</summary>
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
                      {values[at] === null || values[at] === undefined ? '—' : write(values[at])}
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

function Bars({ values, tone, most, place, of }: Series & { most: number; place: number; of: number }) {
  const slot = width / values.length
  const each = (slot * 0.8) / of
  return (
    <g class={`bar ${tone}`}>
      {values.map((value, at) => {
        const tall = ((value ?? 0) / most) * (height - 4)
        return <rect key={at} x={at * slot + slot * 0.1 + place * each} y={height - tall} width={each} height={tall} />
      })}
    </g>
  )
}

/** Broken where there is nothing; a step that stands alone is a short dash. */
function lineOf(values: readonly (number | null)[], most: number): string {
  const slot = width / values.length
  return values
    .map((value, at) => {
      if (value === null) return ''
      const y = height - 2 - (value / most) * (height - 4)
      const x = at * slot
      return `${(values[at - 1] ?? null) === null ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}L${(x + slot).toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

const width = 600
const height = 120
