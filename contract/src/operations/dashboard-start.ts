import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'

const testCard = Type.Object({
  /** Public: the seven numbers of the test environment. */
  number: Type.String(),
  lastFour: Type.String(),
  expire: Type.String({ description: '`0399`, as cards.create takes it.' }),
  meaning: Type.String({ description: 'The scenario: `success`, `sms_not_connected`, …' }),
  sentBy: Type.Union([Type.Literal('network'), Type.Literal('us')]),
})

const step = Type.Object({
  method: Type.String({ description: 'As a page or an app would have called it.' }),
  ms: Type.Integer(),
  /** Null: it succeeded. */
  refused: Type.Union([Type.Object({ code: Type.Integer(), reason: Type.String(), message: Type.String() }), Type.Null()]),
})

const isDone = Type.Boolean({ description: 'Whether one of your own calls has done it; trying it in the dashboard does not count.' })

export const dashboardStartGetContract = defineOperation('dashboard.start.get', {
  summary: 'Returns what a merchant needs for its first token, and its progress.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    merchantId: Type.String(),
    formOrigin: Type.Union([Type.String(), Type.Null()], {
      description: 'Null in the test environment: 127.0.0.1 with the port of the page.',
    }),
    sdk: Type.Object({
      version: Type.String(),
      integrity: Type.String({ description: 'Of `/sdk/<version>/tessera.js`, as it is served.' }),
      moduleIntegrity: Type.String({ description: 'Of `tessera.mjs` beside it.' }),
    }),
    demoPassword: Type.Union([Type.String(), Type.Null()], {
      description: 'The public one of the demo merchant; null for other merchants.',
    }),
    testCards: Type.Array(testCard),
    checklist: Type.Object({ created: isDone, verified: isDone, paid: isDone, webhook: isDone }),
  }),
  errors: [],
})

export const dashboardStartMakeTokenContract = defineOperation('dashboard.start.makeToken', {
  summary: 'Creates a token of a test card as a page would, and returns each step; in the test environment only.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'create',
  params: Type.Object({ lastFour: Type.String({ pattern: '^[0-9]{4}$', description: 'Of one of the seven test cards.' }) }),
  result: Type.Object({
    cardId: Type.Union([Type.String(), Type.Null()], { description: "The token's first 24 digits; the token itself is never returned." }),
    number: Type.Union([Type.String(), Type.Null()], { description: 'Masked.' }),
    verified: Type.Boolean(),
    steps: Type.Array(step),
  }),
  errors: ['testOnly', 'memberInvalid', 'overloaded'],
})

export const dashboardStartOperations = operationsByName(dashboardStartGetContract, dashboardStartMakeTokenContract)
