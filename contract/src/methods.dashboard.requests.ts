import Type from 'typebox'

import type { DashboardEntry } from './method-entry.ts'
import { after, count, next } from './methods.dashboard.cards.ts'

const hexId = Type.String({ pattern: '^[0-9a-f]{24}$' })
const moment = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Unix milliseconds.' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

const member = Type.Object({
  path: Type.String({ description: '`card.number`; `*` stands for a name that is not plainly one.' }),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
    description: 'What is kept of it; null also where `hidden` says why there is nothing.',
  }),
  hidden: textOrNull,
  size: Type.Integer({ description: 'Characters of a text, members of an object, entries of an array that are not shown; 0 of a secret.' }),
})

const members = Type.Object({
  list: Type.Array(member),
  more: Type.Integer({ description: 'How many more there were.' }),
})

const entry = Type.Object({
  requestId: Type.String(),
  at: Type.Integer(),
  method: textOrNull,
  profile: Type.Union([Type.Literal('spec'), Type.Literal('subscribe')]),
  code: Type.Integer({ description: '0: it succeeded.' }),
  reason: Type.String({ description: 'A word of the table of errors.' }),
  ms: Type.Number(),
  caller: Type.Union([Type.Literal('server'), Type.Literal('browser'), Type.Literal('unproved')], {
    description: '`unproved`: it named your id, and was refused before it could prove, or could not prove, that it was you.',
  }),
  cardId: Type.String(),
  lost: Type.Union([Type.Object({ count: Type.Integer(), from: Type.Integer() }), Type.Null()], {
    description: 'This is no call: so many were not recorded between `from` and `at`.',
  }),
})

const replayed = Type.Object({
  method: Type.String(),
  code: Type.Integer(),
  reason: Type.String(),
  message: Type.String(),
  ms: Type.Integer(),
  params: members,
  result: members,
})

export const dashboardRequestMethods = {
  'dashboard.requests.list': {
    summary: 'Lists calls of the API, newest first. A page may be short, or empty, and still have a next one.',
    ...{ caller: 'dashboard', role: 'read', mutates: false },
    params: Type.Object({
      ...{ after, count },
      method: Type.Optional(Type.String({ maxLength: 64 })),
      outcome: Type.Optional(Type.Union([Type.Literal('ok'), Type.Literal('error')])),
      code: Type.Optional(Type.Integer()),
      requestId: Type.Optional(hexId),
      cardId: Type.Optional(hexId),
      ...{ from: Type.Optional(moment), to: Type.Optional(moment) },
    }),
    result: Type.Object({ requests: Type.Array(entry), next }),
    errors: [],
  },
  'dashboard.requests.get': {
    summary: 'Tells one call: what of its params and its answer is kept.',
    ...{ caller: 'dashboard', role: 'read', mutates: false, params: Type.Object({ requestId: hexId }) },
    result: Type.Object({
      entry,
      bytes: Type.Integer({ description: 'Of the whole body.' }),
      data: Type.String({ description: 'Of the error, where it is a plain word.' }),
      message: Type.String(),
      hint: Type.String({ description: 'What to do about it.' }),
      params: members,
      result: members,
      replayable: Type.Boolean({ description: 'Whether dashboard.requests.replay takes it.' }),
    }),
    errors: ['requestNotFound'],
  },
  'dashboard.requests.replay': {
    summary: 'Makes a call like it once more, with a test card, a token and receipts of its own; in the test environment only.',
    ...{ caller: 'dashboard', role: 'developer', mutates: true, params: Type.Object({ requestId: hexId }) },
    result: Type.Object({
      steps: Type.Array(Type.Object({ method: Type.String(), code: Type.Integer(), reason: Type.String() }), {
        description: 'What had to be made first, and how it was answered.',
      }),
      answer: Type.Union([replayed, Type.Null()], { description: 'Null: a step before it was refused.' }),
    }),
    errors: ['testOnly', 'requestNotFound', 'requestNotReplayable', 'overloaded'],
  },
} as const satisfies Record<string, DashboardEntry>
