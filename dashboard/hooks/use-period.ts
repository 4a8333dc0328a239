import { type DayPeriod, tashkentDay } from '@tessera/contract/calendar-day'

import { navigate, route } from '../app/router.ts'
import { serviceNow } from '../app/session-state.ts'
import { namedPeriod, type PeriodName, readPeriod } from '../format/period.ts'

/** A period that is part of the address, so that a link shows a colleague the same days. */
export interface PeriodState {
  readonly period: DayPeriod
  readonly today: string
  set(period: DayPeriod): void
}

export function usePeriod(initial: PeriodName): PeriodState {
  const { page, rest, query, hidden } = route.value
  const today = tashkentDay(serviceNow())
  return {
    today,
    period: readPeriod(query) ?? namedPeriod(initial, today),
    set({ from, to }) {
      const next = new URLSearchParams(query)
      next.set('from', from)
      next.set('to', to)
      navigate(`${[page, ...rest].join('/')}?${next.toString()}`, { replace: true, hidden })
    },
  }
}
