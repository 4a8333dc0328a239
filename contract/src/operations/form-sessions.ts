import Type from 'typebox'

import { maxOriginLength, originPattern } from '../origin.ts'

import { defineOperation, operationsByName } from './operation.ts'
import { card, exampleCard, loggedCard } from './cards.ts'

const session = Type.String({ maxLength: 128, description: 'The session, as form.sessions.create gave it.' })
const exampleSession = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
const endsAt = Type.Integer({ description: 'When the session ends, unix milliseconds.' })
const state = Type.Union([Type.Literal('open'), Type.Literal('done'), Type.Literal('cancelled'), Type.Literal('ended')], {
  description:
    '`open`: in progress; `done`: a card was verified; `cancelled`: the cardholder cancelled; `ended`: the time is over, and no card was verified.',
})

export const formSessionsCreateContract = defineOperation('form.sessions.create', {
  summary: 'Allows one of your pages to take cards with the hosted form.',
  description:
    'A session is valid for 15 minutes and a few cards; the page passes it to the form. When sessions are required, your public id alone is not enough to create tokens. ' +
    'What the session says about the payer and about storing cards wins over what the page says.',
  caller: 'server',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    origin: Type.String({
      pattern: originPattern,
      maxLength: maxOriginLength,
      description: 'Origin of the page that contains the form, as in location.origin; in production it must be registered.',
    }),
    customer: Type.Optional(Type.Union([Type.String({ maxLength: 128, description: 'Your own id of the payer.' }), Type.Null()])),
    save: Type.Union([Type.Literal('ask'), Type.Literal('off')], {
      description: '`ask`: the cardholder may agree that the card is stored; `off`: the token pays once.',
    }),
    locale: Type.Optional(
      Type.Union([Type.Literal('uz'), Type.Literal('ru'), Type.Literal('en'), Type.Null()], { description: 'Language of the form.' }),
    ),
    return: Type.Optional(
      Type.Union([
        Type.String({
          maxLength: 1024,
          description:
            'For the hosted page: the address of `origin` that the cardholder is sent to afterwards, with `tessera=done` or `tessera=cancelled` added to its query.',
        }),
        Type.Null(),
      ]),
    ),
    attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'How many cards may be submitted with it.' })),
  }),
  result: Type.Object({
    session: Type.String({ description: 'For the form on your page; returned only here.' }),
    expires_at: Type.Integer({ description: 'Unix milliseconds.' }),
    page: Type.Optional(
      Type.String({
        description: 'With `return`: the address of the hosted page. Send the cardholder there; the session is in its fragment.',
      }),
    ),
  }),
  errors: ['originNotRegistered', 'returnElsewhere'],
  requestLog: {
    params: { origin: 'shape', customer: 'plainName', save: 'plainName', locale: 'plainName', attempts: 'number', return: 'shape' },
    result: { session: 'secret', expires_at: 'timestamp', page: 'secret' },
  },
  example: {
    params: { origin: 'https://shop.example', customer: 'c-1', save: 'ask', locale: 'uz' },
    result: { session: exampleSession, expires_at: 1763700000000 },
  },
})

export const formSessionsGetContract = defineOperation('form.sessions.get', {
  summary: 'Returns the state of a hosted-page session, with the token once a card is verified.',
  description:
    'For a session that was created with `return`. The token is stored for an hour after the session ends, sealed under the session itself, so that fetching it takes both your password and the session. ' +
    'Call it when the cardholder returns, and once more when the session has ended: a cardholder who closes the page does not return.',
  caller: 'server',
  mutates: false,
  limit: 'read',
  params: Type.Object({ session }),
  result: Type.Object({ state, expires_at: endsAt, card: Type.Optional(card) }),
  errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
  requestLog: { params: { session: 'secret' }, result: { state: 'plainName', expires_at: 'timestamp', ...loggedCard } },
  example: {
    params: { session: exampleSession },
    result: { state: 'done', expires_at: 1763700000000, card: { ...exampleCard, verify: true } },
  },
})

export const formSessionsShowContract = defineOperation('form.sessions.show', {
  summary: 'Returns what the hosted page needs to know of its session.',
  description: 'Called by the hosted page itself. The result has no card and no token.',
  caller: 'browser',
  mutates: false,
  limit: 'read',
  params: Type.Object({ session }),
  result: Type.Object({
    state,
    expires_at: endsAt,
    return: Type.Union([Type.String(), Type.Null()], {
      description: 'Where the cardholder goes afterwards; null for a session of one of your own pages.',
    }),
    save: Type.Union([Type.Literal('ask'), Type.Literal('off')]),
    locale: Type.Union([Type.String(), Type.Null()]),
  }),
  errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
  requestLog: {
    params: { session: 'secret' },
    result: { state: 'plainName', expires_at: 'timestamp', return: 'shape', save: 'plainName', locale: 'plainName' },
  },
  example: {
    params: { session: exampleSession },
    result: { state: 'open', expires_at: 1763700000000, return: 'https://shop.example/cards', save: 'ask', locale: 'uz' },
  },
})

export const formSessionsCancelContract = defineOperation('form.sessions.cancel', {
  summary: 'Records that the cardholder cancelled on the hosted page.',
  description: 'Called by the hosted page itself. The session accepts no further card; a card that is already verified stays.',
  caller: 'browser',
  mutates: true,
  limit: 'write',
  params: Type.Object({ session }),
  result: Type.Object({ state }),
  errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
  requestLog: { params: { session: 'secret' }, result: { state: 'plainName' } },
  example: { params: { session: exampleSession }, result: { state: 'cancelled' } },
})

/** Form sessions: permissions to create tokens with the hosted form, issued by merchants' servers. */
export const formOperations = operationsByName(
  formSessionsCreateContract,
  formSessionsGetContract,
  formSessionsShowContract,
  formSessionsCancelContract,
)
