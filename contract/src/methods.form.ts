import Type from 'typebox'

import type { MethodEntry } from './method-entry.ts'
import { card, exampleCard } from './methods.cards.ts'

const session = Type.String({ maxLength: 128, description: 'The session, as form.sessions.create gave it.' })
const exampleSession = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
const endsAt = Type.Integer({ description: 'When the session ends, unix milliseconds.' })
const state = Type.Union([Type.Literal('open'), Type.Literal('done'), Type.Literal('cancelled'), Type.Literal('ended')], {
  description:
    '`open`: the cardholder is at it; `done`: a card was verified; `cancelled`: the cardholder turned back; `ended`: the time is over, and no card was verified.',
})

/** Leaves to make tokens with the hosted form, given by merchants' servers. */
export const formMethods = {
  'form.sessions.create': {
    summary: 'Gives a page of yours leave to take cards with the hosted form.',
    description:
      'A session lives 15 minutes and takes a few cards; the page hands it to the form. With sessions required, nobody makes tokens of yours who has only your public id. ' +
      'What the session says of the payer and of keeping cards holds, whatever the page says.',
    caller: 'server',
    mutates: true,
    params: Type.Object({
      origin: Type.String({
        pattern: '^https?://[^/?#@\\s]{1,253}$',
        maxLength: 261,
        description: 'Origin of the page that holds the form, as location.origin tells it; in production one that you have registered.',
      }),
      customer: Type.Optional(Type.Union([Type.String({ maxLength: 128, description: 'Your own id of the payer.' }), Type.Null()])),
      save: Type.Union([Type.Literal('ask'), Type.Literal('off')], {
        description: '`ask`: the cardholder may agree that the card is kept; `off`: the token pays once.',
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
      attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'How many cards may be sent with it.' })),
    }),
    result: Type.Object({
      session: Type.String({ description: 'For the form on your page; not shown again.' }),
      expires_at: Type.Integer({ description: 'Unix milliseconds.' }),
      page: Type.Optional(
        Type.String({
          description: 'With `return`: the address of the hosted page. Send the cardholder there; the session stands behind its #.',
        }),
      ),
    }),
    errors: ['originNotRegistered', 'returnElsewhere'],
    example: {
      params: { origin: 'https://shop.example', customer: 'c-1', save: 'ask', locale: 'uz' },
      result: { session: exampleSession, expires_at: 1763700000000 },
    },
  },
  'form.sessions.get': {
    summary: 'Tells what became of a session of the hosted page, with the token once a card is verified.',
    description:
      'For a session that was created with `return`. The token is kept for an hour after the session ends, sealed under the session itself, so that only who has both your password and the session can fetch it. ' +
      'Ask when the cardholder comes back, and once more when the session is over: whoever closes the page does not come back.',
    caller: 'server',
    mutates: false,
    params: Type.Object({ session }),
    result: Type.Object({ state, expires_at: endsAt, card: Type.Optional(card) }),
    errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
    example: {
      params: { session: exampleSession },
      result: { state: 'done', expires_at: 1763700000000, card: { ...exampleCard, verify: true } },
    },
  },
  'form.sessions.show': {
    summary: 'Tells the hosted page what its session is for.',
    description: 'Called by the hosted page itself. It tells no card and no token.',
    caller: 'browser',
    mutates: false,
    params: Type.Object({ session }),
    result: Type.Object({
      state,
      expires_at: endsAt,
      return: Type.Union([Type.String(), Type.Null()], {
        description: 'Where the cardholder goes afterwards; null for a session of a page of yours.',
      }),
      save: Type.Union([Type.Literal('ask'), Type.Literal('off')]),
      locale: Type.Union([Type.String(), Type.Null()]),
    }),
    errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
    example: {
      params: { session: exampleSession },
      result: { state: 'open', expires_at: 1763700000000, return: 'https://shop.example/cards', save: 'ask', locale: 'uz' },
    },
  },
  'form.sessions.cancel': {
    summary: 'Notes that the cardholder turned back on the hosted page.',
    description: 'Called by the hosted page itself. No card is taken with the session any more; one that is verified already stays.',
    caller: 'browser',
    mutates: true,
    params: Type.Object({ session }),
    result: Type.Object({ state }),
    errors: ['sessionUnknown', 'originNotRegistered', 'returnElsewhere'],
    example: { params: { session: exampleSession }, result: { state: 'cancelled' } },
  },
} as const satisfies Record<string, MethodEntry>
