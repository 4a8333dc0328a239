import {
  operatorSandboxGetContract,
  operatorSandboxInboxContract,
  operatorSandboxMoveClockContract,
  operatorSandboxResetContract,
  operatorSandboxRestoreContract,
  operatorSandboxSetLimitsContract,
  operatorSandboxSetStepContract,
} from '@tessera/contract/operations/operator-sandbox'
import { bucketOf } from '@tessera/vault/id'

import type { AppServices } from './app-services.ts'
import { operation } from './operation.ts'
import { expectAllowed, isoTime, refusal, requireMerchant } from './operator.ts'

/** Lists the scenarios with the test card of each and the step at which it takes effect. */
export const operatorSandboxGet = operation(operatorSandboxGetContract, {
  async run({ merchantId: named }, _ctx, app) {
    const { sandbox, controls } = requireSandbox(app)
    const merchantId = await requireMerchant(named, app)
    const current = new Map((await controls.states(merchantId)).map(({ scenario, step }) => [scenario, step]))
    const steps = sandbox.scenarios.map(({ scenario, number, defaultStep = sandbox.defaultStep }) => {
      return { scenario, number, step: current.get(scenario) ?? defaultStep }
    })
    return { merchantId, steps }
  },
})

/** Sets the step at which a scenario takes effect. */
export const operatorSandboxSetStep = operation(operatorSandboxSetStepContract, {
  async run({ merchantId: named, scenario, step }, ctx, app) {
    const { sandbox, controls } = requireSandbox(app)
    const merchantId = await requireMerchant(named, app)
    const found = sandbox.scenarios.find((row) => row.scenario === scenario)
    if (found === undefined) throw refusal('scenario_unknown', sandbox.scenarios.map((row) => row.scenario).join(', '))
    const steps = found.steps ?? sandbox.steps
    if (!steps.includes(step)) throw refusal('step_unknown', listSteps(steps))
    await controls.setStep(merchantId, { scenario, step }, ctx)
    return { merchantId, scenario, step }
  },
})

/** Lists the SMS that the sandbox would have sent, newest first. */
export const operatorSandboxInbox = operation(operatorSandboxInboxContract, {
  async run({ count = 100 }, _ctx, app) {
    requireSandbox(app)
    const rows = await app.listSandboxInbox(count)
    return { inbox: rows.map(({ at, merchantId, phoneMask, text }) => ({ at: isoTime(at), merchantId, phone: phoneMask, text })) }
  },
})

/** Switches the limits that a merchant simulates on or off. */
export const operatorSandboxSetLimits = operation(operatorSandboxSetLimitsContract, {
  async run({ merchantId: named, on }, ctx, app) {
    const { controls } = requireSandbox(app)
    const merchantId = await requireMerchant(named, app)
    expectAllowed(await controls.setLimits(merchantId, on, ctx))
    return { merchantId, on }
  },
})

/** Moves the time of the test environment. Without an offset, returns the current one. */
export const operatorSandboxMoveClock = operation(operatorSandboxMoveClockContract, {
  async run({ offsetMs }, ctx, app) {
    const { controls } = requireSandbox(app)
    if (offsetMs !== undefined) expectAllowed(await controls.moveClock(null, offsetMs, ctx))
    return { offsetMs: controls.offsetMs() }
  },
})

/** Resets every control of a merchant, and the time. */
export const operatorSandboxRestore = operation(operatorSandboxRestoreContract, {
  async run({ merchantId: named }, ctx, app) {
    const { controls } = requireSandbox(app)
    const merchantId = await requireMerchant(named, app)
    await controls.restore(merchantId, ctx)
    await controls.moveClock(null, 0, ctx)
    return { merchantId, offsetMs: controls.offsetMs() }
  },
})

/** Removes a merchant's cards and deletes its simulated data. The merchant has to be named. */
export const operatorSandboxReset = operation(operatorSandboxResetContract, {
  async run({ merchantId }, ctx, app) {
    const { reset } = requireSandbox(app)
    await requireMerchant(merchantId, app)
    return { merchantId, ...(await reset({ bucket: bucketOf(merchantId), merchantId }, ctx)) }
  },
})

function requireSandbox({ sandbox, controls, reset }: AppServices) {
  if (sandbox === null || controls === null || reset === null) throw refusal('sandbox_none')
  return { sandbox, controls, reset }
}

/** The thirty steps `late_<seconds>` are shown as a range. */
function listSteps(steps: readonly string[]): string {
  return steps.join(', ').replace(/late_1(?:, late_\d+)*, (late_\d+)/, 'late_1 … $1')
}
