import Type from 'typebox'

import { maxOriginLength, originPattern } from '../origin.ts'
import { maxAmountTiyin } from '../receipt.ts'

import { defineOperation, operationsByName } from './operation.ts'
import { card, exampleCard, loggedCard } from './cards.ts'

const session = Type.String({ maxLength: 128, description: 'The session, as form.sessions.create gave it.' })
const exampleSession = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
const endsAt = Type.Integer({ description: 'When the session ends, unix milliseconds.' })
const state = Type.Union([Type.Literal('open'), Type.Literal('done'), Type.Literal('cancelled'), Type.Literal('ended')], {
  description:
    '`open`: in progress; `done`: a card was verified; `cancelled`: the cardholder cancelled; `ended`: the time is over, and no card was verified.',
})
const cardId = Type.String({ pattern: '^[0-9a-f]{24}$', description: 'Id of a card: the first 24 characters of its token.' })
const exampleCardId = exampleCard.token.slice(0, 24)

/** How many saved cards a session may offer. */
export const maxOfferedCards = 20

/** An order number is shown as it is, so it has no line breaks, control characters or characters that change the direction of text. */
const orderPattern = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]{1,64}$'

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
    amount: Type.Optional(
      Type.Union([
        Type.Integer({
          minimum: 1,
          maximum: maxAmountTiyin,
          description: 'Tiyin, shown to the payer, in the button too. Nothing is charged: your server pays a receipt afterwards.',
        }),
        Type.Null(),
      ]),
    ),
    order: Type.Optional(
      Type.Union([
        Type.String({ minLength: 1, maxLength: 64, pattern: orderPattern, description: 'Your order number, shown to the payer.' }),
        Type.Null(),
      ]),
    ),
    cards: Type.Optional(
      Type.Union([
        Type.Array(cardId, {
          maxItems: maxOfferedCards,
          uniqueItems: true,
          description:
            'Saved cards of the payer to choose from, by their ids. A card that is not yours, not verified, not stored for further payments, removed, or of another `customer` is left out.',
        }),
        Type.Null(),
      ]),
    ),
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
    params: {
      origin: 'shape',
      customer: 'plainName',
      save: 'plainName',
      locale: 'plainName',
      attempts: 'number',
      return: 'shape',
      amount: 'number',
      order: 'plainName',
      cards: 'shape',
    },
    result: { session: 'secret', expires_at: 'timestamp', page: 'secret' },
  },
  example: {
    params: { origin: 'https://shop.example', customer: 'c-1', save: 'ask', locale: 'uz' },
    result: { session: exampleSession, expires_at: 1763700000000 },
  },
})

export const formSessionsGetContract = defineOperation('form.sessions.get', {
  summary: 'Returns the state of a session: on the hosted page the token once a card is verified, and what the payer chose.',
  description:
    'The token is there for a session that was created with `return`. It is stored for an hour after the session ends, sealed under the session itself, so that fetching it takes both your password and the session. ' +
    'Call it when the cardholder returns, and once more when the session has ended: a cardholder who closes the page does not return.',
  caller: 'server',
  mutates: false,
  limit: 'read',
  params: Type.Object({ session }),
  result: Type.Object({
    state,
    expires_at: endsAt,
    card: Type.Optional(card),
    picked: Type.Optional(
      Type.String({ description: 'Id of the saved card that the payer picked from `cards`. Pay with the token that you have for it.' }),
    ),
    removals: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Ids of the saved cards that the payer asked to remove: call cards.remove with their tokens.',
      }),
    ),
  }),
  errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
  requestLog: { params: { session: 'secret' }, result: { state: 'plainName', expires_at: 'timestamp', picked: 'id', ...loggedCard } },
  example: {
    params: { session: exampleSession },
    result: { state: 'done', expires_at: 1763700000000, card: { ...exampleCard, verify: true } },
  },
})

export const formSessionsShowContract = defineOperation('form.sessions.show', {
  summary: 'Returns what the form needs to know of its session.',
  description:
    'Called by the hosted page, or by the page of the session. Of the saved cards that the session offers the result has ids and masked numbers; it has no token.',
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
    amount: Type.Union([Type.Integer(), Type.Null()], { description: 'Tiyin; null when the session has none.' }),
    order: Type.Union([Type.String(), Type.Null()], { description: 'The order number; null when the session has none.' }),
    cards: Type.Array(
      Type.Object({
        id: Type.String(),
        number: Type.String({ description: 'Masked.' }),
        expired: Type.Boolean({ description: 'Its expiry is over: it can be removed, not picked.' }),
      }),
      { description: 'The saved cards to choose from, in the order of form.sessions.create.' },
    ),
    picked: Type.Union([Type.String(), Type.Null()], { description: 'Id of the card that the payer picked.' }),
  }),
  errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
  requestLog: {
    params: { session: 'secret' },
    result: {
      state: 'plainName',
      expires_at: 'timestamp',
      return: 'shape',
      save: 'plainName',
      locale: 'plainName',
      amount: 'number',
      order: 'plainName',
      cards: 'shape',
      picked: 'id',
    },
  },
  example: {
    params: { session: exampleSession },
    result: {
      state: 'open',
      expires_at: 1763700000000,
      return: 'https://shop.example/cards',
      save: 'ask',
      locale: 'uz',
      amount: 500000,
      order: '197',
      cards: [{ id: exampleCardId, number: exampleCard.number, expired: false }],
      picked: null,
    },
  },
})

export const formSessionsChooseContract = defineOperation('form.sessions.choose', {
  summary: 'Records which saved card the payer picked, or asked to remove.',
  description:
    'Called by the page of the session, for a card that the session offers. The first pick is final and completes the session. A removal is a request: the card stays until your server calls cards.remove.',
  caller: 'browser',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    session,
    id: cardId,
    action: Type.Union([Type.Literal('pick'), Type.Literal('remove')]),
    form: Type.Optional(Type.Union([Type.String({ maxLength: 600, description: 'Sent by the hosted form.' }), Type.Null()])),
  }),
  result: Type.Object({ state }),
  errors: [
    'sessionUnknown',
    'sessionEnded',
    'sessionDone',
    'sessionOrigin',
    'originNotRegistered',
    'returnElsewhere',
    'cardNotFound',
    'cardExpired',
  ],
  requestLog: { params: { session: 'secret', id: 'id', action: 'plainName', form: 'secret' }, result: { state: 'plainName' } },
  example: { params: { session: exampleSession, id: exampleCardId, action: 'pick' }, result: { state: 'done' } },
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
  formSessionsChooseContract,
  formSessionsCancelContract,
)
