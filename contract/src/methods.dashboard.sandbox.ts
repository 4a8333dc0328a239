import Type from 'typebox'

import type { DashboardEntry } from './method-entry.ts'
import { done } from './methods.dashboard.session.ts'

const word = Type.String({ maxLength: 40, pattern: '^[a-z][a-z0-9._]*$' })

/** What the wire says when it strikes. */
const answer = Type.Object({ code: Type.Integer(), reason: Type.String() })

/** One thing that can be set, its words in the order in which they are offered. */
const control = {
  scenario: Type.String({ description: 'Its name: a scenario of a card, a method, or `network` for all movements of money.' }),
  step: Type.String({ description: 'As it stands.' }),
  steps: Type.Array(Type.String()),
}

const limits = Type.Object({
  on: Type.Boolean(),
  since: Type.Union([Type.Integer(), Type.Null()], { description: 'When the counting began, unix ms.' }),
  byOperator: Type.Boolean({ description: "Switched on for everybody by the provider's setting; nobody else can change it." }),
})

const clock = Type.Object({
  offsetMs: Type.Integer({ description: 'How far the time of the test environment is ahead.' }),
  offsetMaxMs: Type.Integer(),
  mayMove: Type.Boolean({ description: 'Only where no other merchant shares this environment.' }),
})

/** What a merchant rehearses with; all of it in the test environment alone. */
export const dashboardSandboxMethods = {
  'dashboard.sandbox.get': {
    summary: 'Tells every control of the sandbox as it stands, and what each test card rehearses.',
    ...{ caller: 'dashboard', role: 'read', mutates: false, params: Type.Object({}) },
    result: Type.Object({
      cards: Type.Array(
        Type.Object({
          number: Type.String({ description: 'Public, like all of them.' }),
          sentBy: Type.Union([Type.Literal('network'), Type.Literal('us')]),
          control: Type.Union([Type.Object(control), Type.Null()], { description: 'Null: everything succeeds.' }),
          atStep: Type.Union([answer, Type.Null()], { description: 'What is answered at its step; null: everything succeeds.' }),
          atPay: Type.Union([answer, Type.Null()], { description: 'What receipts.pay answers.' }),
        }),
      ),
      expire: Type.String(),
      code: Type.String(),
      faults: Type.Array(Type.Object(control)),
      answers: Type.Array(Type.Object({ step: Type.String(), atPay: Type.Boolean(), ...answer.properties }), {
        description: 'What a step of a fault is answered with, in the words of the errors page.',
      }),
      limits,
      clock,
      changed: Type.Integer({ description: 'How many controls are not as they are by default.' }),
    }),
    errors: ['testOnly'],
  },
  'dashboard.sandbox.setStep': {
    summary: 'Sets one control; it holds from the next call on, for this merchant alone.',
    ...{ caller: 'dashboard', role: 'developer', mutates: true },
    params: Type.Object({ scenario: word, step: word }),
    result: done,
    errors: ['testOnly', 'settingRefused'],
  },
  'dashboard.sandbox.setLimits': {
    summary: 'Switches the limits of production on for this merchant, all counts at nought, or off.',
    ...{ caller: 'dashboard', role: 'developer', mutates: true, params: Type.Object({ on: Type.Boolean() }), result: done },
    errors: ['testOnly', 'settingRefused'],
  },
  'dashboard.sandbox.moveClock': {
    summary: "Moves the environment's time ahead of the machine's; 0 takes it back.",
    ...{ caller: 'dashboard', role: 'developer', mutates: true },
    params: Type.Object({ offsetMs: Type.Integer({ minimum: 0, maximum: 400 * 86_400_000 }) }),
    result: done,
    errors: ['testOnly', 'settingRefused'],
  },
  'dashboard.sandbox.restore': {
    summary: 'Takes every control back to what it is by default.',
    ...{ caller: 'dashboard', role: 'developer', mutates: true, params: Type.Object({}), result: done },
    errors: ['testOnly'],
  },
  'dashboard.sandbox.reset': {
    summary: 'Removes the cards of the merchant, and drops its cards, receipts, events, keys of calls, request log, SMS and counts.',
    ...{ caller: 'dashboard', role: 'developer', mutates: true },
    params: Type.Object({
      merchantId: Type.String({ pattern: '^[0-9a-f]{24}$', description: "The caller's own, typed as a confirmation." }),
    }),
    result: Type.Object({
      cards: Type.Integer({ description: 'Cards that were shredded.' }),
      rows: Type.Integer({ description: 'Rows that were dropped.' }),
      isWhole: Type.Boolean({ description: 'False: there is more; ask again.' }),
    }),
    errors: ['testOnly', 'settingRefused', 'overloaded'],
  },
} as const satisfies Record<string, DashboardEntry>
