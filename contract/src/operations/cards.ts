import Type, { type Static } from 'typebox'

import { givenAccountFieldPattern } from '../receipt.ts'
import { defineOperation, operationsByName } from './operation.ts'

const token = Type.String({
  description: 'The card token, as cards.create gave it: 24 hex digits, an underscore, 43 letters and digits.',
})

export const card = Type.Object(
  {
    number: Type.String({ description: 'Masked PAN: `8600***6311` in the spec profile, `860006******6311` in the subscribe profile.' }),
    expire: Type.String({ description: 'Expiry: `0399` in the spec profile, `03/99` in the subscribe profile.' }),
    token: Type.String({ description: 'The card token. It stays the same from cards.create to cards.remove.' }),
    recurrent: Type.Boolean({ description: 'Whether the token may be charged again and again; follows `save`.' }),
    verify: Type.Boolean({ description: 'Whether the cardholder has verified the card by an SMS code.' }),
    type: Type.String({ description: 'The kind of card by its prefix, from the table of this service.' }),
  },
  { description: 'A card as a merchant may keep it.' },
)

const cardResult = Type.Object({ card })

/** What the request log stores of a card in a result. */
export const loggedCard = {
  'card.number': 'mask',
  'card.expire': 'secret',
  'card.token': 'card',
  'card.recurrent': 'flag',
  'card.verify': 'flag',
  'card.type': 'plainName',
} as const

const account = Type.Record(Type.String({ pattern: givenAccountFieldPattern }), Type.Union([Type.String(), Type.Number(), Type.Null()]), {
  additionalProperties: false,
  description: "The merchant's own fields about the payer; stored as given.",
})

const consent = Type.Object(
  {
    version: Type.String({ maxLength: 64, description: 'Version of the text that was agreed to.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of that text, in hex.' }),
    locale: Type.String({ maxLength: 16, description: 'The language in which it was displayed.' }),
    at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'When it was agreed to, unix milliseconds.' }),
  },
  { description: 'What the cardholder agreed to; sent by the hosted form.' },
)

const codeFormat = Type.Object(
  {
    length: Type.Integer({ description: 'Characters of the code.' }),
    alphabet: Type.String({ description: 'The characters of which codes are made: digits, or digits and capital letters.' }),
    lifetime: Type.Integer({ description: 'For how many milliseconds the code is valid.' }),
    fixed: Type.Optional(Type.String({ description: 'In the test environment: the code that is accepted whatever the policy is.' })),
  },
  { description: 'What the code looks like, by the verification policy. For the card form only: other callers do not get it.' },
)
export type CodeOnWire = Static<typeof codeFormat>

export const exampleToken = '6745a1f0000a3f5c0d2e4b61_3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm'
export const exampleCard = { number: '8600***6311', expire: '0399', token: exampleToken, recurrent: true, verify: false, type: '22618' }

const tokenErrors = ['tokenShape', 'cardNotFound', 'cardDeleted', 'cardEnded'] as const
const smsErrors = ['smsCountryNotServed', 'smsPrefixLimit', 'smsCostLimit', 'smsNotSent'] as const
const networkErrors = ['smsNotConnected', 'cardExpired', 'cardBlocked', 'systemError', 'networkTimeout', 'networkUnavailable'] as const

const formDocument = Type.String({
  maxLength: 600,
  description: 'Sent by the hosted form: identifies the form document and the origin of its page.',
})

export const cardsCreateContract = defineOperation('cards.create', {
  summary: 'Turns a card into a token of this merchant.',
  description:
    'Takes the card straight from the cardholder and returns a temporary, unverified token. No card network is called: every well-formed number of a known prefix gets the same reply. ' +
    'The token lives 30 minutes until it is verified; then as long as the card with `save: true`, 24 hours without. The same card again gets a new, unverified token. The full number is never returned, logged or stored in clear.',
  caller: 'browser',
  mutates: true,
  limit: 'create',
  countsTowardFailureBreaker: true,
  params: Type.Object({
    card: Type.Object({
      number: Type.String({ description: 'PAN: 12 to 19 digits without blanks (ISO/IEC 7812).' }),
      expire: Type.String({ description: 'Expiry, MMYY.' }),
    }),
    save: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to store the card for recurring payments; the cardholder must have agreed.',
      }),
    ),
    account: Type.Optional(Type.Union([account, Type.Null()])),
    customer: Type.Optional(Type.Union([Type.String({ maxLength: 128, description: "The merchant's own id of the payer." }), Type.Null()])),
    amount: Type.Optional(Type.Union([Type.Number({ description: 'Accepted from older clients and not used.' }), Type.Null()])),
    consent: Type.Optional(Type.Union([consent, Type.Null()])),
    session: Type.Optional(
      Type.Union([Type.String({ maxLength: 128, description: 'Form session, as form.sessions.create gave it.' }), Type.Null()]),
    ),
    form: Type.Optional(Type.Union([formDocument, Type.Null()])),
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
    'sessionDone',
    ...networkErrors,
  ],
  requestLog: {
    params: {
      'card.number': 'secret',
      'card.expire': 'secret',
      save: 'flag',
      'account.*': 'plainName',
      customer: 'plainName',
      amount: 'number',
      'consent.version': 'plainName',
      'consent.sha256': 'shape',
      'consent.locale': 'plainName',
      'consent.at': 'timestamp',
      session: 'secret',
      form: 'shape',
    },
    result: loggedCard,
  },
  example: { params: { card: { number: '8600069195406311', expire: '0399' }, save: true }, result: { card: exampleCard } },
})

export const cardsGetVerifyCodeContract = defineOperation('cards.get_verify_code', {
  summary: 'Requests an SMS code to verify the card.',
  description:
    'Sends a code to the phone that the issuer knows. By default it has six digits and is valid for 180 seconds and 5 attempts (the verification policy of the service or of the card network may say otherwise); a new code invalidates the old one. `wait` says when another may be requested.',
  caller: 'browser',
  mutates: true,
  limit: 'verify',
  countsTowardTokenLimit: true,
  countsTowardFailureBreaker: true,
  params: Type.Object({ token, form: Type.Optional(Type.Union([formDocument, Type.Null()])) }),
  result: Type.Object({
    sent: Type.Boolean({ description: 'true: a code is on its way.' }),
    phone: Type.String({ description: 'Masked phone: five digits, five asterisks, two digits.' }),
    wait: Type.Integer({ description: 'Milliseconds until another code may be requested.' }),
    code: Type.Optional(codeFormat),
  }),
  errors: [
    ...tokenErrors,
    'tokenLimit',
    'failureLimit',
    'verificationStopped',
    'resendTooSoon',
    'sendLimitCard',
    'sendLimitPhone',
    ...smsErrors,
    'holderMismatch',
    ...networkErrors,
  ],
  requestLog: {
    params: { token: 'card', form: 'shape' },
    result: { sent: 'flag', phone: 'mask', wait: 'number', 'code.length': 'number', 'code.lifetime': 'number' },
  },
  example: { params: { token: exampleToken }, result: { sent: true, phone: '99890*****66', wait: 60000 } },
})

export const cardsVerifyContract = defineOperation('cards.verify', {
  summary: 'Submits the SMS code and verifies the card.',
  description:
    'A right code sets `verify` to true. A card that is already verified gets the same reply, whatever the code. What cannot be a code by the verification policy (by default: what is not six digits) uses up no attempt. In the test environment the code of every test card is 666666.',
  caller: 'browser',
  mutates: true,
  limit: 'verify',
  countsTowardTokenLimit: true,
  countsTowardFailureBreaker: true,
  params: Type.Object({
    token,
    code: Type.Union([Type.String({ maxLength: 16 }), Type.Integer({ minimum: 0, maximum: 999_999_999_999 })], {
      description:
        'The code as the cardholder typed it, as a string; letters in any case. For codes of digits a number is accepted too, with its lost leading zeros restored.',
    }),
  }),
  result: cardResult,
  errors: [
    ...tokenErrors,
    'tokenLimit',
    'verificationStopped',
    'codeNotRequested',
    'codeMalformed',
    'codeExpired',
    'triesUsedUp',
    'cardDayTriesUsedUp',
    'wrongCodeLimit',
    'wrongCode',
    'holderMismatch',
    ...networkErrors,
  ],
  requestLog: { params: { token: 'card', code: 'secret' }, result: loggedCard },
  example: { params: { token: exampleToken, code: '666666' }, result: { card: { ...exampleCard, verify: true } } },
})

export const cardsCheckContract = defineOperation('cards.check', {
  summary: 'Returns the card of a token, and whether it is verified.',
  description: "For the merchant's server: check `verify` before using a token for a payment.",
  caller: 'serverInSpec',
  mutates: false,
  limit: 'read',
  params: Type.Object({ token }),
  result: cardResult,
  errors: [...tokenErrors],
  requestLog: { params: { token: 'card' }, result: loggedCard },
  example: { params: { token: exampleToken }, result: { card: { ...exampleCard, verify: true } } },
})

export const cardsRemoveContract = defineOperation('cards.remove', {
  summary: 'Removes a card. Its token stops working at once.',
  description: 'Wipes the sealed card at once and leaves a tombstone, so that the token gets -31400 with `data` "deleted" afterwards.',
  caller: 'serverInSpec',
  mutates: true,
  limit: 'write',
  params: Type.Object({ token }),
  result: Type.Object({ success: Type.Boolean() }),
  errors: [...tokenErrors],
  requestLog: { params: { token: 'card' }, result: { success: 'flag' } },
  example: { params: { token: exampleToken }, result: { success: true } },
})

/** Cards: a number becomes a token, and the token is verified. */
export const cardOperations = operationsByName(
  cardsCreateContract,
  cardsGetVerifyCodeContract,
  cardsVerifyContract,
  cardsCheckContract,
  cardsRemoveContract,
)

export type CardOnWire = Static<typeof card>
