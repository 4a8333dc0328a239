import type { ExportCondition } from './export-jobs.ts'

/** The conditions of a filter that are not empty, for the audit. `typed` names those whose values people typed, which are not recorded. */
export function toExportConditions(
  filter: Readonly<Record<string, string | number | boolean | null | undefined>>,
  typed: readonly string[] = [],
): ExportCondition[] {
  return Object.entries(filter)
    .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
    .map(([name, value]) => ({ name, value: typed.includes(name) || !recordable.test(String(value)) ? '' : String(value) }))
}

/** As `dashboard.exports.start` accepts. */
const recordable = /^(?:[a-z_.]{0,64}|[0-9a-f]{24}|-?[0-9]{1,14}(?:\.[0-9]{2})?|[0-9]{4}-[0-9]{2}-[0-9]{2})$/
