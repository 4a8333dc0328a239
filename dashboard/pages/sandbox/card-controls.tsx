import { useId } from 'preact/hooks'

import { call } from '../../app/call.ts'
import { may } from '../../app/session-state.ts'
import { Copy } from '../../parts/copy.tsx'
import { grouped } from '../../parts/grouped.ts'
import { useTyped } from '../../parts/typed.ts'
import type { PartOfSandbox, Sandbox } from './sandbox-part.ts'
import { fill } from '../../app/long-words.tsx'
import { sandboxText } from './sandbox-text.ts'

type Card = Sandbox['cards'][number]

/** The test cards: what each rehearses, and the step at which it strikes. */
export function CardControls({ sandbox, change }: PartOfSandbox) {
  const { cards, expire, code } = sandbox
  const text = sandboxText.now()
  return (
    <section class="panel cards">
      <h2>{text.cards}</h2>
      <p>{fill(text.cardsText, `${expire.slice(0, 2)}/${expire.slice(2)}`, code)}</p>
      <ul class="controls">
        {cards.map((card) => (
          <li key={card.number}>
            <Copy text={card.number} label={grouped(card.number)} />
            <span class="hint">{card.control === null ? text.succeeds[card.sentBy] : <Hint card={card} />}</span>
            {card.control !== null && (
              <Step
                {...{ sandbox, label: fill(text.strikesAt, card.control.scenario) }}
                step={card.control.step}
                steps={card.control.steps}
                onPick={(step) => {
                  const { scenario } = card.control ?? { scenario: '' }
                  void change(() => call('dashboard.sandbox.setStep', { scenario, step }), fill(text.set, scenario, methodOf(step)))
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the wire says, as the service itself tells it. */
function Hint({ card: { control, atStep, atPay } }: { card: Card }) {
  const text = sandboxText.now()
  if (control === null) return null
  const isAtPay = control.step === 'pay'
  return (
    <>
      {text.faults[control.scenario] ?? control.scenario}{' '}
      {!isAtPay && atStep !== null && (
        <small>
          {methodOf(control.step)}: <code>{`${String(atStep.code)} ${atStep.reason}`}</code>
        </small>
      )}
      {atPay !== null && (
        <small>
          receipts.pay: <code>{`${String(atPay.code)} ${atPay.reason}`}</code>
        </small>
      )}
    </>
  )
}

function Step(props: { sandbox: Sandbox; label: string; step: string; steps: readonly string[]; onPick: (step: string) => void }) {
  const id = useId()
  const shown = useTyped(props.step, props.sandbox)
  return (
    <span class="pick">
      <label class="unseen" for={id}>
        {props.label}
      </label>
      <select
        id={id}
        disabled={!may('developer')}
        value={shown.value}
        onChange={({ currentTarget: { value } }) => {
          shown.value = value
          props.onPick(value)
        }}
      >
        {props.steps.map((step) => (
          <option key={step} value={step} selected={step === shown.value}>
            {methodOf(step)}
          </option>
        ))}
      </select>
    </span>
  )
}

function methodOf(step: string): string {
  return step === 'pay' ? 'receipts.pay' : `cards.${step}`
}
