import type { Measure } from '../measurement.ts'
import { formatInterval, formatValue } from '../table.ts'

/** The values of one kind of load as a table with a column for each vault, and what is a ratio as lines below it. */
export function formatVaultMeasures(measures: readonly Measure[], vaults: readonly string[]): string {
  const loads = [...new Set(measures.map(({ of }) => loadOf(of)))]
  return loads.map((load) => formatLoad(load, measures, vaults)).join('\n\n')
}

function formatLoad(load: string, measures: readonly Measure[], vaults: readonly string[]): string {
  const made = measures.filter(({ of }) => loadOf(of) === load)
  const isRatio = ({ unit }: Measure): boolean => unit.startsWith('of ')
  const titles = [...new Map(made.filter((measure) => !isRatio(measure)).map(({ name, unit }) => [name, unit]))]
  const rows = titles.map(([name, unit]) => [
    `${name}, ${unit}`,
    ...vaults.map((vault) => {
      const measure = made.find((each) => each.of === `${load}, ${vault}` && each.name === name && !isRatio(each))
      return measure === undefined ? 'not known' : formatValue(measure.value)
    }),
  ])
  const ratios = made
    .filter(isRatio)
    .map((ratio) => `${ratio.name} of tessera: ${formatValue(ratio.value)} ${ratio.unit}, ${formatInterval(ratio)}`)
  return [...alignColumns([[load, ...vaults], ...rows]), ...ratios].join('\n')
}

/** `read at 500/s, floor` is of the load `read at 500/s`. */
function loadOf(of: string): string {
  return of.slice(0, of.lastIndexOf(', '))
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
