import type { RunningService } from './spawn.ts'

/** Refusals because of overload, as the service itself measured them from the reading of a request's head. */
export interface MeasuredRefusals {
  readonly count: number
  /** Those that came later than 50 ms. */
  readonly late: number
}

export async function readRefusals({ adminUrl }: Pick<RunningService, 'adminUrl'>): Promise<MeasuredRefusals> {
  return parseRefusals(await (await fetch(`${adminUrl}/metrics`)).text())
}

/** A histogram that has counted nothing yet is not on the page. */
export function parseRefusals(page: string): MeasuredRefusals {
  const valueOf = (name: string): number =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length) ?? 0,
    )
  const count = valueOf('tessera_overload_refusal_delay_seconds_count')
  return { count, late: count - valueOf('tessera_overload_refusal_delay_seconds_bucket{le="0.05"}') }
}

/** What is wrong with them. None at all shows nothing: five times the capacity cannot be taken. */
export function findRefusalFaults(refusals: MeasuredRefusals): string[] {
  if (refusals.count === 0) return ['the service has measured no refusal']
  return latePercent(refusals) > maxLatePercent
    ? [`${latePercent(refusals).toFixed(0)} % of the refusals came later than 50 ms after the call was read`]
    : []
}

export function latePercent({ count, late }: MeasuredRefusals): number {
  return count === 0 ? 0 : (100 * late) / count
}

/** The machine may be busy. */
const maxLatePercent = 1
