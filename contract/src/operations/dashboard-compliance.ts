import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { after, next } from './dashboard-cards.ts'

const timestamp = Type.Integer({ description: 'Unix milliseconds.' })
const timestampOrNull = Type.Union([timestamp, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])
const locale = Type.Union([Type.Literal('uz'), Type.Literal('ru'), Type.Literal('en')])

/** Unsafe use of the API by a merchant's own code. */
const findingKind = Type.Union([
  Type.Literal('password_in_browser', { description: 'The right password came from a browser.' }),
  Type.Literal('sad_sent', { description: 'A CVV, PIN or track was sent.' }),
  Type.Literal('card_out_of_place', { description: 'A card number was sent in another member than card.number.' }),
  Type.Literal('card_to_other_method', { description: 'card.number was sent to a method that takes none.' }),
  Type.Literal('card_from_server', {
    description: 'cards.create came with the password: the card number passed through a server of yours.',
  }),
])

const finding = Type.Object({
  kind: findingKind,
  seenBy: Type.Union([Type.Literal('server'), Type.Literal('browser')], {
    description: '`server`: the password was right, so it was your own code. `browser`: with your id alone, which is public.',
  }),
  count: Type.Integer(),
  firstAt: timestamp,
  lastAt: timestamp,
  method: Type.String({ description: 'Of the last time; none of its values is stored.' }),
  origin: Type.String({ description: 'Of the page, the last time, where the password was right; `` otherwise.' }),
  requestId: Type.String({ description: 'Of the last time.' }),
})

const ways = Type.Object({
  form: Type.Integer(),
  page: Type.Integer(),
  server: Type.Integer(),
  merchant: Type.Integer({ description: 'Asserted by the merchant, without a text.' }),
  unknown: Type.Integer(),
})

const consent = Type.Object({
  cardId: Type.String(),
  customer: textOrNull,
  number: Type.String({ description: 'Masked.' }),
  cardState: Type.String(),
  by: Type.Union([
    Type.Literal('form'),
    Type.Literal('page'),
    Type.Literal('server'),
    Type.Literal('merchant'),
    Type.Literal('unknown', { description: 'Stored by an earlier version.' }),
  ]),
  receivedAt: timestamp,
  agreedAt: timestampOrNull,
  version: textOrNull,
  locale: textOrNull,
  sha256: textOrNull,
  endedAt: timestampOrNull,
  hasValidMac: Type.Boolean({ description: 'False when the row was changed outside the service.' }),
})

const shownText = Type.Object({ version: Type.String(), locale: Type.String(), sha256: Type.String(), text: Type.String() })

export const dashboardComplianceGetContract = defineOperation('dashboard.compliance.get', {
  summary: 'Returns evidence for the merchant’s own obligations: its newest cards, settings, texts and findings.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    tokens: Type.Object({
      created: Type.Integer({ description: 'Since the counters were introduced.' }),
      checked: Type.Integer({ description: 'The newest cards, which were checked just now; 200 at most.' }),
      sealed: Type.Integer({ description: 'Of them: the number is stored sealed under a data key.' }),
      wiped: Type.Integer({ description: 'Of them: removed or ended, and the number was deleted.' }),
      changed: Type.Integer({ description: 'Of them: the row was changed outside the service.' }),
    }),
    consents: ways,
    settings: Type.Object({
      origins: Type.Array(Type.String()),
      requireFormSessions: Type.Boolean(),
      strictServerAuth: Type.Boolean(),
      activePasswords: Type.Integer(),
    }),
    provider: Type.Object({ name: Type.String(), termsUrl: textOrNull, privacyUrl: textOrNull }),
    disclosures: Type.Array(shownText, { description: 'What a cardholder agrees to today, in each language.' }),
    form: Type.Object({ version: Type.String(), integrity: Type.String() }),
    findings: Type.Array(finding, { description: 'The latest first.' }),
  }),
  errors: [],
})

export const dashboardComplianceEvidenceContract = defineOperation('dashboard.compliance.evidence', {
  summary: 'Returns the evidence that the operator has signed and published for the merchant; null without one.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    evidence: Type.Union([
      Type.Object({
        pack: Type.String({ description: 'One line of JSON; `tessera evidence --verify` verifies it.' }),
        publishedAt: timestamp,
      }),
      Type.Null(),
    ]),
  }),
  errors: [],
})

export const dashboardComplianceResponsibilitiesContract = defineOperation('dashboard.compliance.responsibilities', {
  summary: 'Returns who is responsible for each requirement, in the language of the caller (PCI DSS 12.8.5, 12.9.2).',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({ locale }),
  result: Type.Object({
    rows: Type.Array(
      Type.Object({
        requirement: Type.String({ description: 'Of PCI DSS 4.0.1 or of the specification.' }),
        topic: Type.String(),
        provider: Type.String({ description: 'What the provider does; `` when it is nothing.' }),
        merchant: Type.String({ description: 'What the merchant does; `` when it is nothing.' }),
      }),
    ),
  }),
  errors: [],
})

export const dashboardConsentsListContract = defineOperation('dashboard.consents.list', {
  summary: 'Lists consents of cardholders, newest first, with the texts that they refer to.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ after, count: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 25 })) }),
  result: Type.Object({ consents: Type.Array(consent), texts: Type.Array(shownText), next }),
  errors: [],
})

export const dashboardComplianceOperations = operationsByName(
  dashboardComplianceGetContract,
  dashboardComplianceEvidenceContract,
  dashboardComplianceResponsibilitiesContract,
  dashboardConsentsListContract,
)
