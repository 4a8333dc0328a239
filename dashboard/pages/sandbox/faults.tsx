import { useId } from 'preact/hooks'

import { call } from '../../app/call.ts'
import { may } from '../../app/session-state.ts'
import type { Control, PartOfSandbox, Sandbox } from './sandbox-part.ts'
import { fill } from '../../app/long-words.tsx'
import { useTyped } from '../../parts/typed.ts'
import { sandboxText } from './sandbox-text.ts'

/** What goes wrong at one method, whatever the card. */
export function Faults({ sandbox, change }: PartOfSandbox) {
  const { faults } = sandbox
  const text = sandboxText.now()
  return (
    <section class="panel">
      <h2>{text.network}</h2>
      <p>{text.networkText}</p>
      <ul class="faults">
        {faults.map((control) => (
          <Fault
            key={control.scenario}
            {...{ control, sandbox }}
            onPick={(step) => {
              const { scenario } = control
              void change(() => call('dashboard.sandbox.setStep', { scenario, step }), fill(text.set, nameOf(scenario), faultOf(step)))
            }}
          />
        ))}
      </ul>
    </section>
  )

  function nameOf(scenario: string): string {
    return text.places[scenario] ?? scenario
  }

  function faultOf(step: string): string {
    const seconds = secondsOf(step)
    return seconds === null ? (text.faults[step] ?? step) : fill(text.lateBy, seconds)
  }
}

interface FaultProps {
  readonly control: Control
  readonly sandbox: Sandbox
  readonly onPick: (step: string) => void
}

function Fault({ control: { scenario, step: told, steps }, sandbox, onPick }: FaultProps) {
  const text = sandboxText.now()
  const id = useId()
  const shown = useTyped(told, sandbox)
  const step = shown.value
  const pick = (next: string): void => {
    shown.value = next
    onPick(next)
  }
  const seconds = secondsOf(step)
  const kinds = steps.filter((each) => secondsOf(each) === null)
  const longest = steps.reduce((most, each) => Math.max(most, secondsOf(each) ?? 0), 0)
  const isAtPay = scenario.startsWith('receipts.') || scenario === 'network'
  const answer = sandbox.answers.find((each) => each.step === step && each.atPay === isAtPay)
  return (
    <li class={step === 'none' ? '' : 'on'}>
      <label for={id}>{text.places[scenario] ?? <code>{scenario}</code>}</label>
      <span class="pick">
        <select
          id={id}
          disabled={!may('developer')}
          value={seconds === null ? step : 'late'}
          onChange={({ currentTarget: { value } }) => pick(value === 'late' ? `late_${String(lateAtFirst)}` : value)}
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
            aria-label={fill(text.secondsOf, scenario)}
            disabled={!may('developer')}
            value={step}
            onChange={(event) => pick(event.currentTarget.value)}
          >
            {steps
              .filter((each) => secondsOf(each) !== null)
              .map((each) => (
                <option key={each} value={each} selected={each === step}>
                  {fill(text.seconds, secondsOf(each) ?? 0)}
                </option>
              ))}
          </select>
        )}
      </span>
      {seconds !== null && <small>{seconds >= timeoutSeconds ? text.tooLate : text.inTime}</small>}
      {answer !== undefined && (
        <small>
          <code>{`${String(answer.code)} ${answer.reason}`}</code>
        </small>
      )}
    </li>
  )
}

function secondsOf(step: string): number | null {
  const [, seconds] = /^late_(\d+)$/.exec(step) ?? []
  return seconds === undefined ? null : Number(seconds)
}

const lateAtFirst = 5
/** What the service waits for a network. */
const timeoutSeconds = 12
