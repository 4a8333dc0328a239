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
  method: Type.Union(
    [
      Type.Literal('cards.create'),
      Type.Literal('cards.get_verify_code'),
      Type.Literal('cards.verify'),
      Type.Literal('receipts.create'),
      Type.Literal('receipts.pay'),
    ],
    { description: 'Those of cards as a page or an app would have called them, those of receipts as a server.' },
  ),
  ms: Type.Integer(),
  /** Null: it succeeded. */
  refused: Type.Union([Type.Object({ code: Type.Integer(), reason: Type.String(), message: Type.String() }), Type.Null()]),
})

const progress = Type.Union([Type.Literal('done'), Type.Literal('tried'), Type.Literal('open')], {
  description: 'done: by a call of your own; tried: only by a test payment of the dashboard; open: not yet.',
})

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
    example: Type.Object(
      { amountTiyin: Type.Integer(), account: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()])) },
      { description: 'A receipt that the settings of the merchant accept, with every required account field.' },
    ),
    checklist: Type.Object({ created: progress, verified: progress, paid: progress, webhook: progress }),
  }),
  errors: [],
})

export const dashboardStartMakePaymentContract = defineOperation('dashboard.start.makePayment', {
  summary:
    'Verifies a test card as a page would, pays with its token as a server would, and returns each step; in the test environment only.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'create',
  params: Type.Object({ lastFour: Type.String({ pattern: '^[0-9]{4}$', description: 'Of one of the seven test cards.' }) }),
  result: Type.Object({
    cardId: Type.Union([Type.String(), Type.Null()]),
    number: Type.Union([Type.String(), Type.Null()], { description: 'Masked.' }),
    token: Type.Union([Type.String(), Type.Null()], {
      description: 'Of the verified card; returned only here, to be tried out. Null: the card was not verified.',
    }),
    receiptId: Type.Union([Type.String(), Type.Null()]),
    paid: Type.Boolean(),
    steps: Type.Array(step),
  }),
  errors: ['testOnly', 'memberInvalid', 'overloaded'],
})

export const dashboardStartOperations = operationsByName(dashboardStartGetContract, dashboardStartMakePaymentContract)
