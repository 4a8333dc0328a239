import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { useSyncedValue } from '../../components/fields.tsx'
import { Time } from '../../components/values.tsx'
import { sandboxPageText } from '../../messages/page-texts.ts'
import type { SandboxPanelProps } from './sandbox-panel.ts'

/** Turns the rate limits of production on or off. */
export function RateLimitsPanel({ sandbox, change }: SandboxPanelProps) {
  const { limits } = sandbox
  const text = sandboxPageText.current()
  const id = useId()
  const isOn = useSyncedValue(limits.on, sandbox)
  return (
    <section class="panel">
      <h2>{text.limits}</h2>
      <div class="switch">
        <input
          id={id}
          type="checkbox"
          checked={isOn.value}
          disabled={limits.byOperator || !hasRole('developer')}
          aria-describedby={`${id}-hint`}
          onChange={({ currentTarget: { checked: on } }) => {
            isOn.value = on
            void change(() => call('dashboard.sandbox.setLimits', { on }), on ? text.limitsOn : text.limitsOff)
          }}
        />
        <label for={id}>{text.limitsLabel}</label>
        <small id={`${id}-hint`}>{limits.byOperator ? text.limitsByOperator : text.limitsText}</small>
      </div>
      {limits.since !== null && (
        <p>
          {text.countsSince} <Time at={limits.since} />
        </p>
      )}
    </section>
  )
}
