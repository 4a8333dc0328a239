import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { call } from '../../app/call.ts'
import { words } from '../../app/language.ts'
import { may } from '../../app/session-state.ts'
import { Field } from '../../parts/field.tsx'
import type { PartOfSandbox } from './sandbox-part.ts'
import { fill } from '../../app/long-words.tsx'
import { sandboxText } from './sandbox-text.ts'

/** The environment's time, moved ahead and taken back. */
export function MovedTime({ sandbox: { clock }, change }: PartOfSandbox) {
  const text = sandboxText.now()
  const id = useId()
  const count = useSignal('1')
  const unit = useSignal<Unit>('hours')
  const { offsetMs, offsetMaxMs, mayMove } = clock
  const move = (wantedMs: number): void => {
    const offset = Math.min(Math.max(wantedMs, 0), offsetMaxMs)
    void change(
      () => call('dashboard.sandbox.moveClock', { offsetMs: offset }),
      offset === 0 ? text.timeBack : fill(text.timeMoved, words.value.span(offset)),
    )
  }
  return (
    <section class="panel">
      <h2>{text.time}</h2>
      <p>{offsetMs === 0 ? text.timeIsOwn : fill(text.timeIsAhead, words.value.span(offsetMs))}</p>
      <p>
        <small>{mayMove ? text.timeText : text.timeShared}</small>
      </p>
      {mayMove && may('developer') && (
        <>
          <p class="presets">
            {presets.map(({ name, ms }) => (
              <button key={name} type="button" onClick={() => move(offsetMs + ms)}>
                {text.presets[name]}
              </button>
            ))}
          </p>
          <form
            class="by-hand"
            onSubmit={(event) => {
              event.preventDefault()
              if (/^\d{1,5}$/.test(count.value.trim())) move(offsetMs + Number(count.value) * units[unit.value])
            }}
          >
            <Field
              {...{ label: text.ahead, value: count.value, inputMode: 'numeric', maxLength: 5 }}
              onInput={(value) => (count.value = value)}
            />
            <span class="pick">
              <label class="unseen" for={id}>
                {text.unit}
              </label>
              <select id={id} value={unit.value} onChange={(event) => (unit.value = event.currentTarget.value as Unit)}>
                {(['seconds', 'minutes', 'hours', 'days'] as const).map((each) => (
                  <option key={each} value={each}>
                    {text.units[each]}
                  </option>
                ))}
              </select>
            </span>
            <button type="submit">{text.move}</button>
          </form>
          {offsetMs > 0 && (
            <button type="button" onClick={() => move(0)}>
              {text.takeBack}
            </button>
          )}
        </>
      )}
    </section>
  )
}

type Unit = keyof typeof units
const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const

/** A little more than each of these lives. */
const presets = [
  { name: 'code', ms: 181_000 },
  { name: 'session', ms: 16 * 60_000 },
  { name: 'unverified', ms: 31 * 60_000 },
  { name: 'oneTime', ms: 25 * 3_600_000 },
  { name: 'hold', ms: 8 * 86_400_000 },
] as const
