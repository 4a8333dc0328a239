import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, merchantId, isoTimestamp, merchantIdParams, optionalMerchantId } from './operator.ts'

const text = Type.String()
const ofOptionalMerchant = Type.Object({ merchantId: optionalMerchantId })

export const operatorSandboxGetContract = defineOperatorOperation('operator.sandbox.get', {
  summary: 'Lists the test cards with their scenarios and the step at which each takes effect.',
  mutates: false,
  params: ofOptionalMerchant,
  result: Type.Object({ merchantId: text, steps: Type.Array(Type.Object({ scenario: text, number: text, step: text })) }),
})

export const operatorSandboxSetStepContract = defineOperatorOperation('operator.sandbox.setStep', {
  summary: 'Sets the step at which a scenario takes effect.',
  mutates: true,
  params: Type.Object({ merchantId: optionalMerchantId, scenario: text, step: text }),
  result: Type.Object({ merchantId: text, scenario: text, step: text }),
})

export const operatorSandboxInboxContract = defineOperatorOperation('operator.sandbox.inbox', {
  summary: 'Lists the SMS of the sandbox, newest first.',
  mutates: false,
  params: Type.Object({
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'A count is a whole number from 1 to 100.' })),
  }),
  result: Type.Object({ inbox: Type.Array(Type.Object({ at: isoTimestamp, merchantId: text, phone: text, text })) }),
})

export const operatorSandboxSetLimitsContract = defineOperatorOperation('operator.sandbox.setLimits', {
  summary: 'Switches the limits that a merchant simulates on or off.',
  mutates: true,
  params: Type.Object({ merchantId: optionalMerchantId, on: Type.Boolean({ description: 'Limits are switched on or off.' }) }),
  result: Type.Object({ merchantId: text, on: Type.Boolean() }),
})

export const operatorSandboxMoveClockContract = defineOperatorOperation('operator.sandbox.moveClock', {
  summary: 'Moves the time of the test environment, or returns how far it is ahead.',
  mutates: true,
  params: Type.Object({ offsetMs: Type.Optional(Type.Number({ description: 'How far the time is ahead is a number of milliseconds.' })) }),
  result: Type.Object({ offsetMs: Type.Integer() }),
})

export const operatorSandboxRestoreContract = defineOperatorOperation('operator.sandbox.restore', {
  summary: 'Resets every control of a merchant, and the time.',
  mutates: true,
  params: ofOptionalMerchant,
  result: Type.Object({ merchantId: text, offsetMs: Type.Integer() }),
})

export const operatorSandboxResetContract = defineOperatorOperation('operator.sandbox.reset', {
  summary: "Removes a merchant's cards and deletes what it simulated.",
  mutates: true,
  params: merchantIdParams,
  result: Type.Object({ merchantId, cards: Type.Integer(), rows: Type.Integer(), isComplete: Type.Boolean() }),
})

export const operatorSandboxOperations = operationsByName(
  operatorSandboxGetContract,
  operatorSandboxSetStepContract,
  operatorSandboxInboxContract,
  operatorSandboxSetLimitsContract,
  operatorSandboxMoveClockContract,
  operatorSandboxRestoreContract,
  operatorSandboxResetContract,
)
