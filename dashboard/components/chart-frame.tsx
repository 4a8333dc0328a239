import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

import { messages } from '../app/language.ts'
import { dashboardPath, navigate } from '../app/router.ts'
import { stepAfterKey } from './chart-scale.ts'

export interface ChartSeries {
  readonly name: string
  readonly tone: 'main' | 'green' | 'red' | 'amber' | 'faint'
  readonly values: readonly (number | null)[]
  /** Drawn as a dashed line, whatever the kind of the chart: what is compared with. */
  readonly isBefore?: boolean
}

export interface ChartFrameProps {
  /** What it shows: the accessible name of the picture and of its table. */
  readonly label: string
  /** The name of each step, in full. */
  readonly steps: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  /** The heading of the table's first column. */
  readonly stepName: string
  /** The text that opens the table. */
  readonly tableLabel: string
  readonly hasLegend?: boolean
  /** Another line of the values of a step. */
  readonly more?: (step: number) => string
  /** Where the rows that a step stands for are listed, a path under /dashboard: opened by Enter, by a click, and by a link in the table. */
  readonly pathOf?: (step: number) => string | null
  /** Draws the picture for a width in CSS pixels. `choose` shows the values of a step; null hides them. */
  readonly children: (drawing: ChartDrawing) => ComponentChildren
  /** Where the values of a step are shown, in CSS pixels from the left and the top. */
  readonly positionOf: (step: number, width: number) => { readonly x: number; readonly y: number }
}

export interface ChartDrawing {
  readonly width: number
  readonly current: number | null
  readonly choose: (step: number | null) => void
  /** Opens the rows of a step that was clicked. A finger only chooses it: it has not seen the values yet. */
  readonly press: (step: number | null, event: MouseEvent) => void
}

/**
 * What every chart has around its picture: a legend, the values of the step under the pointer or chosen by the arrow keys, and all values as a table. For
 * assistive technology it is a slider over the steps, which says the values of each.
 */
export function ChartFrame({
  label,
  steps,
  series,
  format,
  stepName,
  tableLabel,
  hasLegend = true,
  more,
  pathOf = () => null,
  children,
  positionOf,
}: ChartFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useSignal(initialWidth)
  const current = useSignal<number | null>(null)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(([entry]) => void (width.value = Math.max(minWidth, entry?.contentRect.width ?? initialWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const at = current.value !== null && current.value < steps.length ? current.value : null
  const valuesOf = (step: number): string[] =>
    series.map(({ name, values }) => `${name}: ${values[step] === null || values[step] === undefined ? '—' : format(values[step])}`)
  const press = (step: number | null, event: MouseEvent): void => {
    current.value = step
    const path = step === null || ('pointerType' in event && event.pointerType === 'touch') ? null : pathOf(step)
    if (path !== null) navigate(path)
  }
  const opens = steps.some((_step, index) => pathOf(index) !== null)
  const textOf = (step: number): string =>
    [steps[step] ?? '', ...valuesOf(step), more?.(step) ?? ''].filter((text) => text !== '').join(', ')
  return (
    <div class="chart">
      {hasLegend && (
        <p class="legend">
          {series.map(({ name, tone, isBefore = false }) => (
            <span key={name}>
              <i class={`${tone}${isBefore ? ' before' : ''}`} aria-hidden="true" /> {name}
            </span>
          ))}
        </p>
      )}
      <div
        ref={box}
        class={opens ? 'plot opens' : 'plot'}
        tabIndex={0}
        role="slider"
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={Math.max(1, steps.length)}
        aria-valuenow={(at ?? 0) + 1}
        aria-valuetext={textOf(at ?? 0)}
        aria-description={opens ? messages.value.opensList : undefined}
        onKeyDown={(event) => {
          const path = event.key === 'Enter' && at !== null ? pathOf(at) : null
          if (path !== null) navigate(path)
          if (event.key === 'Escape') current.value = null
          const next = stepAfterKey(event.key, at, steps.length)
          if (next === null) return
          event.preventDefault()
          current.value = next
        }}
        onFocus={() => (current.value ??= steps.length - 1)}
        onBlur={() => (current.value = null)}
        onPointerLeave={() => (current.value = null)}
      >
        {children({ width: width.value, current: at, choose: (step) => void (current.value = step), press })}
        {at !== null && (
          <Values
            {...positionOf(at, width.value)}
            width={width.value}
            lines={[steps[at] ?? '', ...valuesOf(at), more?.(at) ?? '', pathOf(at) === null ? '' : messages.value.opensList]}
          />
        )}
      </div>
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
                  <td>{pathOf(index) === null ? step : <a href={dashboardPath(pathOf(index) ?? '')}>{step}</a>}</td>
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

interface ValuesProps {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly lines: readonly string[]
}

/** Beside the step, on the side that has more room. The slider says the same, so it is hidden from assistive technology. */
function Values({ x, y, width, lines }: ValuesProps) {
  const [title, ...values] = lines.filter((line) => line !== '')
  const side =
    x > width / 2 ? { right: `${String(Math.round(width - x + valuesGap))}px` } : { left: `${String(Math.round(x + valuesGap))}px` }
  return (
    <div class="values" aria-hidden="true" style={{ top: `${String(Math.round(y))}px`, ...side }}>
      <strong>{title}</strong>
      {values.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  )
}

const initialWidth = 600
const minWidth = 160
const valuesGap = 12
