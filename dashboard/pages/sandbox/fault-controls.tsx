import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { useSyncedValue } from '../../components/fields.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { sandboxPageText } from '../../messages/page-texts.ts'
import { delaySeconds, type FaultControl, type SandboxPanelProps, type SandboxState } from './sandbox-panel.ts'

/** The fault that is simulated at each method, whatever the card. */
export function FaultControls({ sandbox, change }: SandboxPanelProps) {
  const { faults } = sandbox
  const text = sandboxPageText.current()
  return (
    <section class="panel">
      <h2>{text.network}</h2>
      <p>{text.networkText}</p>
      <ul class="faults">
        {faults.map((control) => (
          <FaultSelect
            key={control.scenario}
            control={control}
            sandbox={sandbox}
            onPick={(step) => {
              const { scenario } = control
              void change(
                () => call('dashboard.sandbox.setStep', { scenario, step }),
                formatMessage(text.set, nameOf(scenario), faultOf(step)),
              )
            }}
          />
        ))}
      </ul>
    </section>
  )

  function nameOf(scenario: string): string {
    return text.targets[scenario] ?? scenario
  }

  function faultOf(step: string): string {
    const seconds = delaySeconds(step)
    return seconds === null ? (text.faults[step] ?? step) : formatMessage(text.delayedBy, seconds)
  }
}

interface FaultSelectProps {
  readonly control: FaultControl
  readonly sandbox: SandboxState
  readonly onPick: (step: string) => void
}

function FaultSelect({ control: { scenario, step: currentStep, steps }, sandbox, onPick }: FaultSelectProps) {
  const text = sandboxPageText.current()
  const id = useId()
  const selected = useSyncedValue(currentStep, sandbox)
  const step = selected.value
  const pick = (next: string): void => {
    selected.value = next
    onPick(next)
  }
  const seconds = delaySeconds(step)
  const kinds = steps.filter((each) => delaySeconds(each) === null)
  const longest = steps.reduce((max, each) => Math.max(max, delaySeconds(each) ?? 0), 0)
  const isAtPay = scenario.startsWith('receipts.') || scenario === 'network'
  const outcome = sandbox.stepErrors.find((each) => each.step === step && each.atPay === isAtPay)
  return (
    <li class={step === 'none' ? '' : 'on'}>
      <label for={id}>{text.targets[scenario] ?? <code>{scenario}</code>}</label>
      <span class="pick">
        <select
          id={id}
          disabled={!hasRole('developer')}
          value={seconds === null ? step : 'late'}
          onChange={({ currentTarget: { value } }) => pick(value === 'late' ? `late_${String(defaultDelaySeconds)}` : value)}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind} selected={kind === step}>
              {text.faults[kind] ?? kind}
            </option>
          ))}
          {longest > 0 && (
            <option value="late" selected={seconds !== null}>
              {text.faults['late']}
            </option>
          )}
        </select>
        {seconds !== null && (
          <select
            aria-label={formatMessage(text.secondsOf, text.targets[scenario] ?? scenario)}
            disabled={!hasRole('developer')}
            value={step}
            onChange={(event) => pick(event.currentTarget.value)}
          >
            {steps
              .filter((each) => delaySeconds(each) !== null)
              .map((each) => (
                <option key={each} value={each} selected={each === step}>
                  {formatMessage(text.seconds, delaySeconds(each) ?? 0)}
                </option>
              ))}
          </select>
        )}
      </span>
      {seconds !== null && <small>{seconds >= networkTimeoutSeconds ? text.beyondTimeout : text.withinTimeout}</small>}
      {outcome !== undefined && (
        <small>
          <code>{outcome.code}</code> <ReasonText reason={outcome.reason} />
        </small>
      )}
    </li>
  )
}

const defaultDelaySeconds = 5
/** How long the service waits for a network. */
const networkTimeoutSeconds = 12
