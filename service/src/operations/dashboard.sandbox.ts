import { errors, RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardSandboxGetContract,
  dashboardSandboxMoveClockContract,
  dashboardSandboxResetContract,
  dashboardSandboxRestoreContract,
  dashboardSandboxSetLimitsContract,
  dashboardSandboxSetStepContract,
} from '@tessera/contract/operations/dashboard-sandbox'
import { SettingProblem } from '@tessera/contract/setting-problems'

import { errorsByStep } from '../adapters/sandbox/control-rows.ts'
import type { Controls, ControlState } from '../adapters/sandbox/controls.ts'
import type { RequestContext } from '../domain/request-context.ts'

import { expectAccepted } from './dashboard-caller.ts'
import { operation } from './operation.ts'

/** Returns the current value of every control. */
export const dashboardSandboxGet = operation(dashboardSandboxGetContract, {
  async run(_params, { merchantId }, { controls }) {
    const { available, states, limits, clock } = expectControls(controls)
    const byScenario = new Map((await states(merchantId)).map((state) => [state.scenario, state]))
    const faults = available.faults.flatMap(({ scenario }) => byScenario.get(scenario) ?? [])
    const [limitState, clockState] = [limits(merchantId), await clock(merchantId)]
    const changed = [...byScenario.values()].filter(({ step, defaultStep }) => step !== defaultStep).length
    return {
      cards: available.cards.map(({ number, sentBy, scenario }) => {
        const control = scenario === null ? null : toControl(byScenario.get(scenario.name))
        const { before = null, atPay = null } = scenario === null ? {} : (errorsByStep[scenario.name] ?? {})
        return { number, sentBy, control, atStep: errorOf(before), atPay: errorOf(atPay) }
      }),
      expire: available.expire,
      code: available.code,
      stepErrors: listStepErrors(),
      faults: faults.map((state) => toControl(state)).filter((control) => control !== null),
      limits: limitState,
      clock: clockState,
      changed: changed + Number(limitState.since !== null) + Number(clockState.offsetMs > 0),
    }
  },
})

/** Sets one control of the sandbox. */
export const dashboardSandboxSetStep = operation(dashboardSandboxSetStepContract, {
  run: async (step, ctx, { controls }) => succeed(await expectControls(controls).setStep(ctx.merchantId, step, ctx), ctx),
})

/** Switches the limits that a merchant simulates on or off. */
export const dashboardSandboxSetLimits = operation(dashboardSandboxSetLimitsContract, {
  run: async ({ on }, ctx, { controls }) => succeed(await expectControls(controls).setLimits(ctx.merchantId, on, ctx), ctx),
})

/** Moves the time of the test environment. */
export const dashboardSandboxMoveClock = operation(dashboardSandboxMoveClockContract, {
  run: async ({ offsetMs }, ctx, { controls }) => succeed(await expectControls(controls).moveClock(ctx.merchantId, offsetMs, ctx), ctx),
})

/** Resets every control of the caller's sandbox. */
export const dashboardSandboxRestore = operation(dashboardSandboxRestoreContract, {
  async run(_params, ctx, { controls }) {
    await expectControls(controls).restore(ctx.merchantId, ctx)
    return { success: true }
  },
})

/** Deletes the simulated data of the caller's merchant. The user types its id, so that no other merchant is emptied by mistake. */
export const dashboardSandboxReset = operation(dashboardSandboxResetContract, {
  async run({ merchantId }, ctx, { reset }) {
    if (reset === null) throw new RpcError('testOnly')
    if (merchantId !== ctx.merchantId) expectAccepted(new SettingProblem('merchant_id_wrong'), ctx)
    return reset(ctx.caller, ctx)
  },
})

/** The controls of the test environment; production has none. */
function expectControls(controls: Controls | null): Controls {
  if (controls === null) throw new RpcError('testOnly')
  return controls
}

/** The result of an operation that only succeeds or throws. */
function succeed(result: SettingProblem | null, ctx: Pick<RequestContext, 'language'>): { success: true } {
  expectAccepted(result, ctx)
  return { success: true }
}

type SandboxControls = Result<'dashboard.sandbox.get'>

function toControl(state: ControlState | undefined): SandboxControls['faults'][number] | null {
  return state === undefined ? null : { scenario: state.scenario, step: state.step, steps: [...state.steps] }
}

/** The errors of each step, before a payment and at one. */
function listStepErrors(): SandboxControls['stepErrors'] {
  return Object.entries(errorsByStep).flatMap(([step, { before, atPay }]) => {
    const cases = [
      { isAtPay: false, error: errorOf(before) },
      { isAtPay: true, error: errorOf(atPay) },
    ]
    return cases.flatMap(({ isAtPay, error }) => (error === null ? [] : [{ step, atPay: isAtPay, ...error }]))
  })
}

function errorOf(name: keyof typeof errors | null): { code: number; reason: string } | null {
  return name === null ? null : { code: errors[name].code, reason: errors[name].reason }
}
