import { useId } from 'preact/hooks'

import { call } from '../../app/call.ts'
import { may } from '../../app/session-state.ts'
import { Time } from '../../parts/time.tsx'
import { useTyped } from '../../parts/typed.ts'
import type { PartOfSandbox } from './sandbox-part.ts'
import { sandboxText } from './sandbox-text.ts'

/** The limits of production, on or off. */
export function LimitSwitch({ sandbox, change }: PartOfSandbox) {
  const { limits } = sandbox
  const text = sandboxText.now()
  const id = useId()
  const isOn = useTyped(limits.on, sandbox)
  return (
    <section class="panel">
      <h2>{text.limits}</h2>
      <div class="switch">
        <input
          {...{ id, type: 'checkbox', checked: isOn.value, disabled: limits.byOperator || !may('developer') }}
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
