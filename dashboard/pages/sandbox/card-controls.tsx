import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { useSyncedValue } from '../../components/fields.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { groupCardNumber } from '../../format/numbers.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { sandboxPageText } from '../../messages/page-texts.ts'
import { stepMethod, type SandboxPanelProps, type SandboxState } from './sandbox-panel.ts'

type TestCardControl = SandboxState['cards'][number]

/** The test cards: what each simulates, and the step at which its failure occurs. */
export function CardControls({ sandbox, change }: SandboxPanelProps) {
  const { cards, expire, code } = sandbox
  const text = sandboxPageText.current()
  return (
    <section class="panel cards">
      <h2>{text.cards}</h2>
      <p>{formatMessage(text.cardsText, `${expire.slice(0, 2)}/${expire.slice(2)}`, code)}</p>
      <ul class="controls">
        {cards.map((card) => (
          <li key={card.number}>
            <CopyButton text={card.number} label={groupCardNumber(card.number)} />
            <span class="hint">{card.control === null ? text.succeeds[card.sentBy] : <ScenarioHint card={card} />}</span>
            {card.control !== null && (
              <StepSelect
                sandbox={sandbox}
                label={formatMessage(text.failingStep, text.faults[card.control.scenario] ?? card.control.scenario)}
                step={card.control.step}
                steps={card.control.steps}
                onPick={(step) => {
                  const { scenario } = card.control ?? { scenario: '' }
                  void change(
                    () => call('dashboard.sandbox.setStep', { scenario, step }),
                    formatMessage(text.set, text.faults[scenario] ?? scenario, stepMethod(step)),
                  )
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The scenario and the wire errors it leads to, as the service reports them. */
function ScenarioHint({ card: { control, atStep, atPay } }: { card: TestCardControl }) {
  const text = sandboxPageText.current()
  if (control === null) return null
  const isAtPay = control.step === 'pay'
  return (
    <>
      {text.faults[control.scenario] ?? control.scenario}{' '}
      {!isAtPay && atStep !== null && (
        <small>
          {stepMethod(control.step)}: <code>{atStep.code}</code> <ReasonText reason={atStep.reason} of="code" />
        </small>
      )}
      {atPay !== null && (
        <small>
          receipts.pay: <code>{atPay.code}</code> <ReasonText reason={atPay.reason} />
        </small>
      )}
    </>
  )
}

function StepSelect(props: {
  sandbox: SandboxState
  label: string
  step: string
  steps: readonly string[]
  onPick: (step: string) => void
}) {
  const id = useId()
  const selected = useSyncedValue(props.step, props.sandbox)
  return (
    <span class="pick">
      <label class="visually-hidden" for={id}>
        {props.label}
      </label>
      <select
        id={id}
        disabled={!hasRole('developer')}
        value={selected.value}
        onChange={({ currentTarget: { value } }) => {
          selected.value = value
          props.onPick(value)
        }}
      >
        {props.steps.map((step) => (
          <option key={step} value={step} selected={step === selected.value}>
            {stepMethod(step)}
          </option>
        ))}
      </select>
    </span>
  )
}
