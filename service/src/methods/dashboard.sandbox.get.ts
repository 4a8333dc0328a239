import { errors } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/methods'

import { errorsOf } from '../dashboard/control-rows.ts'
import type { ControlState, Controls } from '../dashboard/controls.ts'

import type { Row } from './method.ts'
import { expectControls } from './sandbox-deed.ts'

type Told = Result<'dashboard.sandbox.get'>

/** Tells every control as it stands. */
export function dashboardSandboxGet(controls: Controls | null): Row<'dashboard.sandbox.get'>['run'] {
  return async (_params, { caller: { merchantId } }) => {
    const { facts, states, limits, clock } = expectControls(controls)
    const told = new Map((await states(merchantId)).map((state) => [state.scenario, state]))
    const faults = facts.faults.flatMap(({ scenario }) => told.get(scenario) ?? [])
    const [limited, time] = [limits(merchantId), await clock(merchantId)]
    const changed = [...told.values()].filter(({ step, byDefault }) => step !== byDefault).length
    return {
      cards: facts.cards.map(({ number, sentBy, scenario }) => {
        const control = scenario === null ? null : showControl(told.get(scenario.name))
        const { before = null, atPay = null } = scenario === null ? {} : (errorsOf[scenario.name] ?? {})
        return { number, sentBy, control, atStep: answerOf(before), atPay: answerOf(atPay) }
      }),
      ...{ expire: facts.expire, code: facts.code, answers: answersOfFaults() },
      faults: faults.map((state) => showControl(state)).filter((control) => control !== null),
      ...{ limits: limited, clock: time },
      changed: changed + Number(limited.since !== null) + Number(time.offsetMs > 0),
    }
  }
}

function showControl(state: ControlState | undefined): Told['faults'][number] | null {
  return state === undefined ? null : { scenario: state.scenario, step: state.step, steps: [...state.steps] }
}

/** Of each step that is refused by an error, before a payment and at one. */
function answersOfFaults(): Told['answers'] {
  return Object.entries(errorsOf).flatMap(([step, { before, atPay }]) => {
    const told = [
      { atPay: false, answer: answerOf(before) },
      { atPay: true, answer: answerOf(atPay) },
    ]
    return told.flatMap(({ atPay: isAtPay, answer }) => (answer === null ? [] : [{ step, atPay: isAtPay, ...answer }]))
  })
}

function answerOf(name: keyof typeof errors | null): { code: number; reason: string } | null {
  return name === null ? null : { code: errors[name].code, reason: errors[name].reason }
}
