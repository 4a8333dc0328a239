import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, merchantId, isoTimestamp, isoTimestampOrNull } from './operator.ts'

const keyId = Type.String({ pattern: '^[0-9a-f]{32}$', description: 'A key is 32 hex digits, as tessera keys status lists them.' })
const cardId = Type.String({
  pattern: '^[0-9a-f]{24}$',
  description: 'A card id is 24 hex digits: the part of the token before the underscore. Never give the rest.',
})

export const operatorStatusGetContract = defineOperatorOperation('operator.status.get', {
  summary: 'Returns whether the service is ready, and what it runs on.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({ ready: Type.Boolean(), state: Type.String() }),
})

const key = Type.Object({
  keyId,
  purpose: Type.String(),
  owner: Type.String({ description: "Merchant id, or '' for a key of the service." }),
  epoch: Type.Integer(),
  state: Type.String(),
  kekId: Type.String({ description: 'The KEK that wraps it.' }),
  createdAt: isoTimestamp,
  ageDays: Type.Integer(),
  dueAt: Type.Union([isoTimestamp, Type.Null()], {
    description: 'When it is replaced automatically; null for a key that is out of use or never expires.',
  }),
  cards: Type.Union([Type.Integer(), Type.Null()], { description: 'Cards sealed under it; null where the purpose seals none.' }),
})

const kek = Type.Object({
  kekId: Type.String(),
  kind: Type.String({ description: 'The kind of its provider.' }),
  since: isoTimestampOrNull,
  ageDays: Type.Union([Type.Integer(), Type.Null()]),
  dueAt: Type.Union([isoTimestamp, Type.Null()], {
    description: 'When its cryptoperiod ends (kekAgeDaysMax); null when it wraps no new keys.',
  }),
  keys: Type.Integer({ description: 'Data keys that it wraps.' }),
  shares: Type.Union([Type.String(), Type.Null()], {
    description: 'How many shares of how many open it: 3 of 5. Null where no custodians hold it.',
  }),
  isWrapping: Type.Boolean({ description: 'Whether new keys are wrapped by it.' }),
  isOpen: Type.Boolean({ description: 'Whether the service can unwrap by it.' }),
})

export const operatorKeysListContract = defineOperatorOperation('operator.keys.list', {
  summary: 'Lists the data keys, and how many cards are sealed under each.',
  mutates: false,
  params: Type.Object({}),
  result: Type.Object({ kek: Type.String(), keks: Type.Array(kek), oldestInUse: Type.Union([key, Type.Null()]), keys: Type.Array(key) }),
})

/** Row MAC keys are never rotated: old rows would be left without a MAC that can be checked against the active key. */
const rotatablePurposes = [
  'card',
  'otp',
  'limits',
  'phone',
  'pepper',
  'idempotency',
  'webhook',
  'dashboard',
  'audit',
  'audit_signing',
] as const

export const operatorKeysRotateContract = defineOperatorOperation('operator.keys.rotate', {
  summary: 'Creates a new data key.',
  mutates: true,
  params: Type.Object({
    purpose: Type.Enum([...rotatablePurposes], { description: `A purpose is one of: ${rotatablePurposes.join(', ')}.` }),
    owner: Type.String({ description: "The merchant of a card key; '' for any other purpose." }),
  }),
  result: Type.Object({ keyId, epoch: Type.Integer() }),
})

export const operatorKeysDestroyContract = defineOperatorOperation('operator.keys.destroy', {
  summary: 'Destroys a data key for good.',
  mutates: true,
  params: Type.Object({ keyId }),
  result: Type.Object({ keyId, state: Type.Literal('destroyed') }),
})

export const operatorKeysResealContract = defineOperatorOperation('operator.keys.reseal', {
  summary: 'Reseals every card of a retired key now.',
  mutates: true,
  params: Type.Object({
    keyId,
    sharePercent: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'A share of the time is a whole number of percent from 1 to 100.',
    }),
  }),
  result: Type.Object({
    keyId,
    resealed: Type.Integer(),
    left: Type.Integer({
      description: 'Cards that are still sealed under the key: their rows are refused, or were changed at that moment.',
    }),
  }),
})

export const operatorKeysRewrapContract = defineOperatorOperation('operator.keys.rewrap', {
  summary: 'Wraps every data key by the next KEK, or by the newest version of the current one.',
  mutates: true,
  params: Type.Object({}),
  result: Type.Object({
    kekId: Type.String({ description: 'The KEK that wraps the keys now.' }),
    rewrapped: Type.Integer(),
    left: Type.Integer({ description: 'Keys that another KEK wraps still: they were created at that moment.' }),
  }),
})

export const operatorKeysVerifyContract = defineOperatorOperation('operator.keys.verify', {
  summary: 'Verifies the key store: every key unwraps, its check value and known answer match, and none is missing or overdue.',
  mutates: true,
  params: Type.Object({}),
  result: Type.Object({
    keys: Type.Integer({ description: 'Keys that were unwrapped.' }),
    answers: Type.Integer({ description: 'Known answers that were compared.' }),
    findings: Type.Array(
      Type.Object({ kind: Type.String(), keyId: Type.String(), purpose: Type.String(), owner: Type.String(), text: Type.String() }),
    ),
  }),
})

export const operatorKeysSignRowsContract = defineOperatorOperation('operator.keys.signRows', {
  summary: 'Counts the rows without a MAC of a restored database, and signs them when that is confirmed.',
  mutates: true,
  params: Type.Object({ confirmed: Type.Boolean() }),
  result: Type.Object({
    unsigned: Type.Array(Type.Object({ table: Type.String(), count: Type.Integer() }), { description: 'Before the signing.' }),
    signed: Type.Union([Type.Integer(), Type.Null()], { description: 'Null when it was not confirmed.' }),
  }),
})

const textOrNull = Type.Union([Type.String(), Type.Null()])
const consentRecord = Type.Object({
  cardId: Type.String(),
  merchantId: Type.String(),
  customer: textOrNull,
  maskedPan: Type.String(),
  cardState: Type.String(),
  by: Type.Union([Type.Literal('form'), Type.Literal('page'), Type.Literal('server'), Type.Literal('merchant'), Type.Literal('unknown')]),
  receivedAt: isoTimestamp,
  agreedAt: isoTimestampOrNull,
  version: textOrNull,
  locale: textOrNull,
  sha256: textOrNull,
  text: textOrNull,
  cardEndedAt: isoTimestampOrNull,
  hasValidMac: Type.Boolean(),
})
const brokenConsentRecord = Type.Object({ cardId: Type.String(), merchantId: Type.String(), brokenAt: Type.String() })

export const operatorConsentsGetContract = defineOperatorOperation('operator.consents.get', {
  summary: 'Returns what the cardholder of one card agreed to.',
  mutates: false,
  params: Type.Object({ cardId }),
  result: Type.Union([consentRecord, brokenConsentRecord]),
})

export const operatorConsentsListContract = defineOperatorOperation('operator.consents.list', {
  summary: 'Returns a page of the consents of a merchant.',
  mutates: false,
  params: Type.Object({
    merchantId,
    from: Type.Number({ description: 'A page has a beginning and an end in time, and the card before it.' }),
    to: Type.Number({ description: 'A page has a beginning and an end in time, and the card before it.' }),
    after: Type.String({ pattern: '^([0-9a-f]{24})?$', description: 'A page has a beginning and an end in time, and the card before it.' }),
  }),
  result: Type.Object({ consents: Type.Array(Type.Union([consentRecord, brokenConsentRecord])), next: textOrNull }),
})

export const operatorServiceOperations = operationsByName(
  operatorStatusGetContract,
  operatorKeysListContract,
  operatorKeysRotateContract,
  operatorKeysDestroyContract,
  operatorKeysResealContract,
  operatorKeysRewrapContract,
  operatorKeysVerifyContract,
  operatorKeysSignRowsContract,
  operatorConsentsGetContract,
  operatorConsentsListContract,
)
