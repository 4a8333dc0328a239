import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { hasRole } from '../../app/session-state.ts'
import { Field } from '../../components/fields.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { sandboxPageText } from '../../messages/page-texts.ts'
import type { SandboxPanelProps } from './sandbox-panel.ts'

/** Moves the environment's clock ahead and back. */
export function ClockPanel({ sandbox: { clock }, change }: SandboxPanelProps) {
  const text = sandboxPageText.current()
  const id = useId()
  const count = useSignal('1')
  const unit = useSignal<Unit>('hours')
  const { offsetMs, offsetMaxMs, mayMove } = clock
  const move = (newOffsetMs: number): void => {
    const offset = Math.min(Math.max(newOffsetMs, 0), offsetMaxMs)
    void change(
      () => call('dashboard.sandbox.moveClock', { offsetMs: offset }),
      offset === 0 ? text.clockReset : formatMessage(text.clockMoved, messages.value.duration(offset)),
    )
  }
  return (
    <section class="panel">
      <h2>{text.clock}</h2>
      <p>{offsetMs === 0 ? text.clockIsReal : formatMessage(text.clockIsAhead, messages.value.duration(offsetMs))}</p>
      <p>
        <small>{mayMove ? text.clockText : text.clockShared}</small>
      </p>
      {mayMove && hasRole('developer') && (
        <>
          <p class="presets">
            {presets.map(({ name, ms }) => (
              <button key={name} type="button" onClick={() => move(offsetMs + ms)}>
                {text.presets[name]}
              </button>
            ))}
          </p>
          <form
            class="custom-offset"
            onSubmit={(event) => {
              event.preventDefault()
              if (/^\d{1,5}$/.test(count.value.trim())) move(offsetMs + Number(count.value) * units[unit.value])
            }}
          >
            <Field label={text.ahead} value={count.value} inputMode="numeric" maxLength={5} onInput={(value) => (count.value = value)} />
            <span class="pick">
              <label class="visually-hidden" for={id}>
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
              {text.resetClock}
            </button>
          )}
        </>
      )}
    </section>
  )
}

type Unit = keyof typeof units
const units = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const

/** Each a little longer than the lifetime it lets pass. */
const presets = [
  { name: 'code', ms: 181_000 },
  { name: 'session', ms: 16 * 60_000 },
  { name: 'unverified', ms: 31 * 60_000 },
  { name: 'oneTime', ms: 25 * 3_600_000 },
  { name: 'hold', ms: 8 * 86_400_000 },
] as const
