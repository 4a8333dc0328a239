import Type from 'typebox'

import type { MethodEntry } from './method-entry.ts'

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
      attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'How many cards may be sent with it.' })),
    }),
    result: Type.Object({
      session: Type.String({ description: 'For the form on your page; not shown again.' }),
      expires_at: Type.Integer({ description: 'Unix milliseconds.' }),
    }),
    errors: ['originNotRegistered'],
    example: {
      params: { origin: 'https://shop.example', customer: 'c-1', save: 'ask', locale: 'uz' },
      result: { session: '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm', expires_at: 1763700000000 },
    },
  },
} as const satisfies Record<string, MethodEntry>
