import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { done } from './dashboard-session.ts'

const word = Type.String({ maxLength: 40, pattern: '^[a-z][a-z0-9._]*$' })

/** The error of a scenario. */
const stepError = Type.Object({ code: Type.Integer(), reason: Type.String() })

/** One setting, its options in display order. */
const control = {
  scenario: Type.String({ description: 'Its name: a scenario of a card, a method, or `network` for all movements of money.' }),
  step: Type.String({ description: 'The current step.' }),
  steps: Type.Array(Type.String()),
}

const limits = Type.Object({
  on: Type.Boolean(),
  since: Type.Union([Type.Integer(), Type.Null()], { description: 'When the counting began, unix ms.' }),
  byOperator: Type.Boolean({ description: "Enabled for all merchants by the provider's setting; only the provider can change it." }),
})

const clock = Type.Object({
  offsetMs: Type.Integer({ description: 'How far the time of the test environment is ahead.' }),
  offsetMaxMs: Type.Integer(),
  mayMove: Type.Boolean({ description: 'Only where no other merchant shares this environment.' }),
})

export const dashboardSandboxGetContract = defineOperation('dashboard.sandbox.get', {
  summary: 'Returns every control of the sandbox, and what each test card simulates.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    cards: Type.Array(
      Type.Object({
        number: Type.String({ description: 'Public, like all of them.' }),
        sentBy: Type.Union([Type.Literal('network'), Type.Literal('us')]),
        control: Type.Union([Type.Object(control), Type.Null()], { description: 'Null: everything succeeds.' }),
        atStep: Type.Union([stepError, Type.Null()], { description: 'The error at its step; null: everything succeeds.' }),
        atPay: Type.Union([stepError, Type.Null()], { description: 'The error of receipts.pay.' }),
      }),
    ),
    expire: Type.String(),
    code: Type.String(),
    faults: Type.Array(Type.Object(control)),
    stepErrors: Type.Array(Type.Object({ step: Type.String(), atPay: Type.Boolean(), ...stepError.properties }), {
      description: 'The error of each step of a fault.',
    }),
    limits,
    clock,
    changed: Type.Integer({ description: 'How many controls are not as they are by default.' }),
  }),
  errors: ['testOnly'],
})

export const dashboardSandboxSetStepContract = defineOperation('dashboard.sandbox.setStep', {
  summary: 'Sets one control; it applies from the next call on, to this merchant only.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({ scenario: word, step: word }),
  result: done,
  errors: ['testOnly', 'settingRefused'],
})

export const dashboardSandboxSetLimitsContract = defineOperation('dashboard.sandbox.setLimits', {
  summary: 'Enables the production limits for this merchant, with all counts at zero, or disables them.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({ on: Type.Boolean() }),
  result: done,
  errors: ['testOnly', 'settingRefused'],
})

export const dashboardSandboxMoveClockContract = defineOperation('dashboard.sandbox.moveClock', {
  summary: "Moves the environment's time ahead of the machine's; 0 resets it.",
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({ offsetMs: Type.Integer({ minimum: 0, maximum: 400 * 86_400_000 }) }),
  result: done,
  errors: ['testOnly', 'settingRefused'],
})

export const dashboardSandboxRestoreContract = defineOperation('dashboard.sandbox.restore', {
  summary: 'Resets every control to its default.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({}),
  result: done,
  errors: ['testOnly'],
})

export const dashboardSandboxResetContract = defineOperation('dashboard.sandbox.reset', {
  summary: 'Removes the merchant’s cards and deletes its cards, receipts, events, idempotency records, request log, SMS and counters.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    merchantId: Type.String({ pattern: '^[0-9a-f]{24}$', description: "The caller's own, typed as a confirmation." }),
  }),
  result: Type.Object({
    cards: Type.Integer({ description: 'Cards that were shredded.' }),
    rows: Type.Integer({ description: 'Rows that were deleted.' }),
    isComplete: Type.Boolean({ description: 'False: there is more; call again.' }),
  }),
  errors: ['testOnly', 'settingRefused', 'overloaded'],
})

/** The controls of the sandbox; in the test environment only. */
export const dashboardSandboxOperations = operationsByName(
  dashboardSandboxGetContract,
  dashboardSandboxSetStepContract,
  dashboardSandboxSetLimitsContract,
  dashboardSandboxMoveClockContract,
  dashboardSandboxRestoreContract,
  dashboardSandboxResetContract,
)
