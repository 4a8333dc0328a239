import { addDays, countDays } from '@tessera/contract/calendar-day'

import { language, messages } from '../app/language.ts'
import { formatPeriod, namedPeriod, nameOfPeriod, periodNames } from '../format/period.ts'
import type { PeriodState } from '../hooks/use-period.ts'
import { LabelledControl, SelectField, useSyncedValue } from './fields.tsx'

/** Selects the days of a page: a period with a name, or any two days at most `daysMax` apart. Says which days they are, and whose midnight ends them. */
export function PeriodPicker({ state, daysMax }: { state: PeriodState; daysMax: number }) {
  const { period, today, set } = state
  const text = messages.value
  const from = useSyncedValue(period.from)
  const to = useSyncedValue(period.to)
  const name = nameOfPeriod(period, today)
  const type = (typed: { from: string; to: string }): void => {
    ;[from.value, to.value] = [typed.from, typed.to]
    const days = countDays(typed)
    if (days >= 1 && days <= daysMax) set(typed)
  }
  return (
    <div class="tools period">
      <SelectField
        label={text.period}
        value={name ?? ''}
        options={[
          ...(name === null ? [['', text.periods.other] as const] : []),
          ...periodNames.map((each) => [each, text.periods[each]] as const),
        ]}
        onChange={(chosen) => {
          const wanted = periodNames.find((each) => each === chosen)
          if (wanted !== undefined) set(namedPeriod(wanted, today))
        }}
      />
      <LabelledControl label={text.periods.from}>
        {(id) => (
          <input
            id={id}
            type="date"
            value={from.value}
            min={addDays(to.value, 1 - daysMax)}
            max={to.value}
            onInput={(event) => type({ from: event.currentTarget.value, to: to.value })}
          />
        )}
      </LabelledControl>
      <LabelledControl label={text.periods.to}>
        {(id) => (
          <input
            id={id}
            type="date"
            value={to.value}
            min={from.value}
            max={today}
            onInput={(event) => type({ from: from.value, to: event.currentTarget.value })}
          />
        )}
      </LabelledControl>
      <p class="period-note">
        {formatPeriod(period, language.value)} · {text.periods.note}
      </p>
    </div>
  )
}
