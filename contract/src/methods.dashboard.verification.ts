import Type from 'typebox'

import type { DashboardEntry } from './method-entry.ts'
import { after, count, next } from './methods.dashboard.cards.ts'
import { days } from './methods.dashboard.overview.ts'

const attempt = Type.Object({
  at: Type.Integer(),
  cardId: Type.String(),
  number: Type.Union([Type.String(), Type.Null()], { description: "Masked; null when the card's row is gone." }),
  what: Type.Union([
    Type.Literal('sent'),
    Type.Literal('not_sent'),
    Type.Literal('wrong'),
    Type.Literal('refused'),
    Type.Literal('verified'),
  ]),
  /** Why not: the `reason` of the error where there is one, otherwise a word of ours. */
  cause: Type.Union([Type.String(), Type.Null()]),
  requestId: Type.String(),
})

const message = Type.Object({
  id: Type.String(),
  at: Type.Integer(),
  phone: Type.String({ description: 'Masked.' }),
  text: Type.String(),
})

export const dashboardVerificationMethods = {
  'dashboard.verification.funnel': {
    summary: 'Tells how far the newest cards of a span have come: created, code sent, verified, paid.',
    ...{ caller: 'dashboard', role: 'read', mutates: false, params: Type.Object({ days }) },
    result: Type.Object({
      created: Type.Integer(),
      sent: Type.Integer(),
      verified: Type.Integer(),
      paid: Type.Integer(),
      isWhole: Type.Boolean({ description: 'False: there were more cards, and the newest of them are counted.' }),
    }),
    errors: [],
  },
  'dashboard.verification.list': {
    summary: 'Lists what became of codes, newest first, with the cause of each failure.',
    ...{ caller: 'dashboard', role: 'read', mutates: false },
    params: Type.Object({ after, count, failed: Type.Optional(Type.Boolean({ description: 'Failures alone.' })) }),
    result: Type.Object({ attempts: Type.Array(attempt), next }),
    errors: [],
  },
  'dashboard.verification.inbox': {
    summary: 'Lists the SMS that the test environment kept instead of sending them, newest first.',
    ...{ caller: 'dashboard', role: 'read', mutates: false, params: Type.Object({ after, count }) },
    result: Type.Object({ messages: Type.Array(message), next }),
    errors: ['testOnly'],
  },
} as const satisfies Record<string, DashboardEntry>
