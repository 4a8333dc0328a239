import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next } from './dashboard-cards.ts'

const hexId = Type.String({ pattern: '^[0-9a-f]{24}$' })
const timestamp = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Unix milliseconds.' })
const textOrNull = Type.Union([Type.String(), Type.Null()])

const addressClass = Type.Union([Type.Literal('loopback'), Type.Literal('private'), Type.Literal('public')])

const member = Type.Object({
  path: Type.String({ description: '`card.number`; `*` replaces a name that may not be stored.' }),
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
    description: 'The stored value; null also where `hidden` says why there is none.',
  }),
  hidden: textOrNull,
  size: Type.Integer({ description: 'Characters of a text, members of an object, entries of an array that are hidden; 0 for a secret.' }),
})

const members = Type.Object({
  list: Type.Array(member),
  more: Type.Integer({ description: 'How many more there were.' }),
})

export const requestEntry = Type.Object({
  requestId: Type.String(),
  at: Type.Integer(),
  method: textOrNull,
  profile: Type.Union([Type.Literal('spec'), Type.Literal('subscribe')]),
  code: Type.Integer({ description: '0: it succeeded.' }),
  reason: Type.String({ description: 'The reason of the error.' }),
  ms: Type.Number(),
  caller: Type.Union([Type.Literal('server'), Type.Literal('browser'), Type.Literal('unproved')], {
    description: '`unproved`: it named your id, and was refused before it could prove, or could not prove, that it was you.',
  }),
  cardId: Type.String(),
  address: Type.Union([addressClass, Type.Null()], {
    description: 'Where the call came from; the address itself is not stored. Null for calls that an older version recorded.',
  }),
  lost: Type.Union([Type.Object({ count: Type.Integer(), from: Type.Integer() }), Type.Null()], {
    description:
      'Not a call: the number of calls of `caller` that were not recorded between `from` and `at`. `reason` is `minute_budget` (more of them came in a minute than are recorded) or `store_slow`.',
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

export const dashboardRequestsListContract = defineOperation('dashboard.requests.list', {
  summary: 'Lists calls of the API, newest first. A page may be short, or empty, and still have a next one.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({
    after,
    count,
    method: Type.Optional(Type.String({ maxLength: 64 })),
    outcome: Type.Optional(Type.Union([Type.Literal('ok'), Type.Literal('error')])),
    code: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String({ maxLength: 64 })),
    requestId: Type.Optional(hexId),
    cardId: Type.Optional(hexId),
    receiptId: Type.Optional(hexId),
    customer: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The param `customer`.' })),
    order: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The value of any field of `account`.' })),
    address: Type.Optional(addressClass),
    minMs: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600_000, description: 'Took at least so many milliseconds.' })),
    maxMs: Type.Optional(Type.Number({ minimum: 0, maximum: 3_600_000, description: 'Took at most so many milliseconds.' })),
    from: Type.Optional(timestamp),
    to: Type.Optional(timestamp),
  }),
  result: Type.Object({ requests: Type.Array(requestEntry), next }),
  errors: [],
})

export const dashboardRequestsGetContract = defineOperation('dashboard.requests.get', {
  summary: 'Returns one call: what is stored of its params and its result.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ requestId: hexId }),
  result: Type.Object({
    entry: requestEntry,
    bytes: Type.Integer({ description: 'Of the whole body.' }),
    data: Type.String({ description: '`data` of the error, where it is a plain name.' }),
    message: Type.String(),
    hint: Type.String({ description: 'What to do about it.' }),
    params: members,
    result: members,
    replayable: Type.Boolean({ description: 'Whether dashboard.requests.replay takes it.' }),
  }),
  errors: ['requestNotFound'],
})

export const dashboardRequestsReplayContract = defineOperation('dashboard.requests.replay', {
  summary: 'Repeats a call with a test card, a token and receipts of its own; in the test environment only.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'create',
  params: Type.Object({ requestId: hexId }),
  result: Type.Object({
    steps: Type.Array(Type.Object({ method: Type.String(), code: Type.Integer(), reason: Type.String() }), {
      description: 'The calls that had to be made first, and their outcomes.',
    }),
    reply: Type.Union([replayed, Type.Null()], { description: 'Null when an earlier step failed.' }),
  }),
  errors: ['testOnly', 'requestNotFound', 'requestNotReplayable', 'overloaded'],
})

export const dashboardRequestOperations = operationsByName(
  dashboardRequestsListContract,
  dashboardRequestsGetContract,
  dashboardRequestsReplayContract,
)
