import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next } from './dashboard-cards.ts'
import { period } from './dashboard-receipts.ts'

const timestamp = Type.Integer({ minimum: 0, description: 'Unix milliseconds.' })

const what = [
  Type.Literal('sent'),
  Type.Literal('not_sent'),
  Type.Literal('wrong'),
  Type.Literal('refused'),
  Type.Literal('verified'),
] as const

const number = Type.Union([Type.String(), Type.Null()], { description: "Masked; null when the card's row is gone." })

const attempt = Type.Object({
  at: Type.Integer(),
  cardId: Type.String(),
  number,
  what: Type.Union([...what]),
  /** Why not: the `reason` of the error where there is one, otherwise a code of this service. */
  cause: Type.Union([Type.String(), Type.Null()]),
  requestId: Type.String(),
})

const message = Type.Object({
  id: Type.String(),
  at: Type.Integer(),
  phone: Type.String({ description: 'Masked.' }),
  text: Type.String(),
})

export const dashboardVerificationFunnelContract = defineOperation('dashboard.verification.funnel', {
  summary: 'Counts how far the newest cards of a period have come: created, code sent, verified, paid.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object(period),
  result: Type.Object({
    created: Type.Integer(),
    sent: Type.Integer(),
    verified: Type.Integer(),
    paid: Type.Integer(),
    isComplete: Type.Boolean({ description: 'False: there were more cards, and the newest of them are counted.' }),
  }),
  errors: ['memberInvalid'],
})

export const dashboardVerificationListContract = defineOperation('dashboard.verification.list', {
  summary:
    'Lists the outcomes of codes, newest first, with the cause of each failure; of a card, of a phone, of a time or with one outcome.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({
    after,
    count,
    from: Type.Optional(timestamp),
    to: Type.Optional(timestamp),
    outcome: Type.Optional(Type.Union([...what, Type.Literal('failed')], { description: 'failed: not sent, wrong or refused.' })),
    card: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'A card id, the last four digits of a card, or its mask.' }),
    ),
    phone: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 32,
        description:
          'In full, as the network knows it. Finds the codes of the cards of which an SMS went to it, as long as SMS are stored.',
      }),
    ),
  }),
  result: Type.Object({
    attempts: Type.Array(attempt),
    next,
    isPartial: Type.Boolean({ description: 'More cards match `card` or `phone`: the newest of them were searched.' }),
  }),
  errors: ['memberInvalid'],
})

const storyStep = Type.Object({
  at: Type.Integer(),
  what: Type.Union(
    [
      Type.Literal('requested'),
      Type.Literal('gateway_called'),
      Type.Literal('accepted'),
      Type.Literal('rejected'),
      Type.Literal('no_reply'),
      Type.Literal('sent_by_network'),
      Type.Literal('not_sent'),
      Type.Literal('delivered'),
      Type.Literal('undelivered'),
      Type.Literal('wrong'),
      Type.Literal('refused'),
      Type.Literal('verified'),
      Type.Literal('replaced'),
      Type.Literal('expired'),
    ],
    { description: 'replaced: another code was requested, which ends this one.' },
  ),
  cause: Type.Union([Type.String(), Type.Null()], { description: 'Of not_sent, wrong and refused: the `reason` of the error.' }),
  gateway: Type.Union([Type.String(), Type.Null()], { description: 'Of a step of an SMS gateway: its name.' }),
  requestId: Type.Union([Type.String(), Type.Null()], { description: 'The call behind the step.' }),
})

export const dashboardVerificationGetContract = defineOperation('dashboard.verification.get', {
  summary: 'Returns the story of one code, from the request until it was entered or expired, and whether its SMS arrived.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({
    cardId: Type.String({ pattern: '^[0-9a-f]{24}$' }),
    id: Type.String({
      pattern: '^[0-9a-f]{24}$',
      description: 'The request of a row of `dashboard.verification.list`, or a message of `dashboard.search.find`.',
    }),
  }),
  result: Type.Object({
    cardId: Type.String(),
    number,
    requestId: Type.String({ description: 'The call that requested the code.' }),
    requestedAt: Type.Integer(),
    messageId: Type.Union([Type.String(), Type.Null()], { description: 'The SMS, for the operator of the service.' }),
    phone: Type.Union([Type.String(), Type.Null()], { description: 'Masked; null where this service sent no SMS.' }),
    delivery: Type.Union(
      [
        Type.Literal('delivered'),
        Type.Literal('undelivered'),
        Type.Literal('unconfirmed'),
        Type.Literal('no_reply'),
        Type.Literal('not_sent'),
        Type.Literal('sent_by_network'),
        Type.Literal('not_stored'),
        Type.Literal('in_progress'),
        Type.Literal('interrupted'),
      ],
      {
        description:
          'unconfirmed: the gateway accepted the SMS and has not reported its delivery; no_reply: the gateway did not reply; not_stored: the SMS is older than SMS are stored.',
      },
    ),
    cause: Type.Union([Type.String(), Type.Null()], { description: 'Of not_sent.' }),
    ending: Type.Union(
      [Type.Literal('waiting'), Type.Literal('verified'), Type.Literal('expired'), Type.Literal('replaced'), Type.Literal('not_sent')],
      { description: 'What became of the code; waiting: it can still be entered.' },
    ),
    steps: Type.Array(storyStep, { description: 'Oldest first.' }),
    lifetimeMs: Type.Integer({ description: 'How long a code of this card lives.' }),
    resendWaitMs: Type.Integer({ description: 'After so long another code may be requested.' }),
    smsDays: Type.Integer({ description: 'For so many days SMS are stored.' }),
  }),
  errors: ['cardNotFound', 'requestNotFound'],
})

export const dashboardVerificationInboxContract = defineOperation('dashboard.verification.inbox', {
  summary: 'Lists the SMS that the test environment stored instead of sending, newest first.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ after, count }),
  result: Type.Object({ messages: Type.Array(message), next }),
  errors: ['testOnly'],
})

export const dashboardVerificationOperations = operationsByName(
  dashboardVerificationFunnelContract,
  dashboardVerificationListContract,
  dashboardVerificationGetContract,
  dashboardVerificationInboxContract,
)
