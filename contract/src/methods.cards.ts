import Type, { type Static } from 'typebox'

import type { MethodEntry } from './method-entry.ts'

const token = Type.String({
  description: 'The card token, as cards.create gave it: 24 hex digits, an underscore, 43 letters and digits.',
})

export const card = Type.Object(
  {
    number: Type.String({ description: 'Masked PAN: `8600***6311` in the spec profile, `860006******6311` in the subscribe profile.' }),
    expire: Type.String({ description: 'Expiry: `0399` in the spec profile, `03/99` in the subscribe profile.' }),
    token: Type.String({ description: 'The card token. It stays the same from cards.create to cards.remove.' }),
    recurrent: Type.Boolean({ description: 'Whether the token may be charged again and again; follows `save`.' }),
    verify: Type.Boolean({ description: 'Whether the cardholder has proved the card by an SMS code.' }),
    type: Type.String({ description: 'The kind of card by its prefix, from our own table.' }),
  },
  { description: 'A card as a merchant may keep it.' },
)

const cardResult = Type.Object({ card })

const account = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Null()]), {
  description: "The merchant's own fields about the payer; kept as given.",
})

const consent = Type.Object(
  {
    version: Type.String({ maxLength: 64, description: 'Version of the text that was agreed to.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of that text, in hex.' }),
    locale: Type.String({ maxLength: 16, description: 'Language it was shown in.' }),
    at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'When it was agreed to, unix milliseconds.' }),
  },
  { description: 'What the cardholder agreed to; sent by the hosted form.' },
)

export const exampleToken = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
export const exampleCard = { number: '8600***6311', expire: '0399', token: exampleToken, recurrent: true, verify: false, type: '22618' }

const tokenErrors = ['tokenShape', 'cardNotFound', 'cardDeleted', 'cardEnded'] as const
const smsErrors = ['smsCountryNotServed', 'smsPrefixLimit', 'smsCostLimit', 'smsNotSent'] as const
const networkErrors = ['smsNotConnected', 'cardExpired', 'cardBlocked', 'systemError', 'networkTimeout'] as const

/** The card's whole way: a number in, a verified token out. */
export const cardMethods = {
  'cards.create': {
    summary: 'Turns a card into a token of this merchant.',
    description:
      'Takes the card straight from the cardholder and gives a temporary, unverified token. No card network is asked: every well-formed number of a known prefix is answered alike. ' +
      'The token lives 30 minutes until it is verified; then as long as the card with `save: true`, 24 hours without. The same card again gets a new, unverified token. The full number is never answered, logged or kept in clear.',
    caller: 'browser',
    mutates: true,
    params: Type.Object({
      card: Type.Object({
        number: Type.String({ description: 'PAN: 12 to 19 digits without blanks (ISO/IEC 7812).' }),
        expire: Type.String({ description: 'Expiry, MMYY.' }),
      }),
      save: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Whether to keep the card for recurring payments; the cardholder must have agreed.',
        }),
      ),
      account: Type.Optional(Type.Union([account, Type.Null()])),
      customer: Type.Optional(
        Type.Union([Type.String({ maxLength: 128, description: "The merchant's own id of the payer." }), Type.Null()]),
      ),
      amount: Type.Optional(Type.Union([Type.Number({ description: 'Taken from older clients and not used.' }), Type.Null()])),
      consent: Type.Optional(Type.Union([consent, Type.Null()])),
      session: Type.Optional(
        Type.Union([Type.String({ maxLength: 128, description: 'Form session, as form.sessions.create gave it.' }), Type.Null()]),
      ),
      form: Type.Optional(
        Type.Union([
          Type.String({
            maxLength: 600,
            description: 'Sent by the hosted form: which document of it this is, and for a page of which origin.',
          }),
          Type.Null(),
        ]),
      ),
    }),
    result: cardResult,
    errors: [
      'cardNumberFormat',
      'cardNumberCheckDigit',
      'cardNumberNoRoute',
      'expireFormat',
      'expireMonth',
      'expirePast',
      'panLimit',
      'iinLimit',
      'failureLimit',
      'distinctPanLimit',
      'consentUnknown',
      'sessionRequired',
      'sessionOrigin',
      'sessionUnknown',
      'sessionEnded',
      'sessionUsedUp',
      ...networkErrors,
    ],
    example: { params: { card: { number: '8600069195406311', expire: '0399' }, save: true }, result: { card: exampleCard } },
  },
  'cards.get_verify_code': {
    summary: 'Asks for an SMS code that proves the card.',
    description:
      'Sends a six-digit code to the phone that the issuer knows. A code lives 180 seconds and takes 5 tries; a new code ends the old one. `wait` tells when another may be asked for.',
    caller: 'browser',
    mutates: true,
    params: Type.Object({ token }),
    result: Type.Object({
      sent: Type.Boolean({ description: 'true: a code is on its way.' }),
      phone: Type.String({ description: 'Masked phone: five digits, five asterisks, two digits.' }),
      wait: Type.Integer({ description: 'Milliseconds until another code may be asked for.' }),
    }),
    errors: [
      ...tokenErrors,
      'tokenLimit',
      'failureLimit',
      'resendTooSoon',
      'sendLimitCard',
      'sendLimitPhone',
      ...smsErrors,
      ...networkErrors,
    ],
    example: { params: { token: exampleToken }, result: { sent: true, phone: '99890*****66', wait: 60000 } },
  },
  'cards.verify': {
    summary: 'Submits the SMS code; the card becomes verified.',
    description:
      'A right code sets `verify` to true. A card that is verified already is answered the same way, whatever the code. In the test environment the code of every test card is 666666.',
    caller: 'browser',
    mutates: true,
    params: Type.Object({
      token,
      code: Type.Union([Type.String({ maxLength: 16 }), Type.Integer({ minimum: 0, maximum: 999_999 })], {
        description: 'The six digits, as a string; a number is taken too, but then leading zeros must not be lost: send a string.',
      }),
    }),
    result: cardResult,
    errors: [
      ...tokenErrors,
      'tokenLimit',
      'codeNotRequested',
      'codeTooOld',
      'triesUsedUp',
      'cardDayTriesUsedUp',
      'wrongCodeLimit',
      'wrongCode',
      ...networkErrors,
    ],
    example: { params: { token: exampleToken, code: '666666' }, result: { card: { ...exampleCard, verify: true } } },
  },
  'cards.check': {
    summary: 'Tells whether a token is verified.',
    description: "For the merchant's server: check `verify` before using a token for a payment.",
    caller: 'serverInSpec',
    mutates: false,
    params: Type.Object({ token }),
    result: cardResult,
    errors: [...tokenErrors],
    example: { params: { token: exampleToken }, result: { card: { ...exampleCard, verify: true } } },
  },
  'cards.remove': {
    summary: 'Removes a card: its token is of no use from then on.',
    description:
      'Wipes the sealed card at once and keeps a tombstone, so that the token is answered -31400 with `data` "deleted" afterwards.',
    caller: 'serverInSpec',
    mutates: true,
    params: Type.Object({ token }),
    result: Type.Object({ success: Type.Boolean() }),
    errors: [...tokenErrors],
    example: { params: { token: exampleToken }, result: { success: true } },
  },
} as const satisfies Record<string, MethodEntry>

export type CardOnWire = Static<typeof card>
