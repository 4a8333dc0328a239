import Type from 'typebox'

import { givenAccountFieldPattern } from '../receipt.ts'

import { maxPackLength } from '../merchant-pack.ts'

import { operationsByName } from './operation.ts'
import {
  defineOperatorOperation,
  listLength,
  merchantId,
  operatorDone,
  isoTimestamp,
  isoTimestampOrNull,
  merchantIdParams,
} from './operator.ts'

const text = Type.String()
const endpoint = Type.Union([Type.Object({ url: text, login: text }), Type.Null()])

/** A merchant without the hashes of its passwords. */
const merchantFields = {
  merchantId: text,
  state: text,
  name: text,
  organization: text,
  address: text,
  origins: Type.Array(text),
  accountFields: Type.Array(
    Type.Object({ name: text, title: Type.Object({ en: text, ru: text, uz: text }), required: Type.Boolean(), kind: Type.Optional(text) }),
  ),
  minAmount: Type.Integer({ description: 'Tiyin.' }),
  maxAmount: Type.Integer({ description: 'Tiyin.' }),
  limits: Type.Record(text, Type.Integer()),
  strictServerAuth: Type.Boolean(),
  requireFormSessions: Type.Boolean(),
  refundUnconfirmedMax: Type.Integer({ description: 'Tiyin. Refunds above it ask a user of the dashboard to confirm who they are.' }),
  requireSecondFactor: Type.Boolean({ description: 'Whether every user of the dashboard needs a second factor.' }),
  businessId: text,
  epos: Type.Object({ merchantId: text, terminalId: text }),
  brandColor: text,
  logo: Type.String({ description: 'SHA-256 of the logo; empty without one.' }),
  endpoint,
  version: Type.Integer(),
  createdAt: isoTimestamp,
  passwords: Type.Array(
    Type.Object({
      number: Type.Integer(),
      scope: text,
      createdAt: isoTimestamp,
      lastUsedAt: isoTimestampOrNull,
      retiredAt: isoTimestampOrNull,
    }),
  ),
}
const merchant = Type.Object(merchantFields)
const issuedMerchant = Type.Object({ ...merchantFields, password: Type.String({ description: 'Returned only here.' }) })

/** Settings by name; those left out do not change. Values are validated by the merchant settings. */
const patch = Type.Record(Type.String({ pattern: '^[A-Za-z]{1,40}$' }), Type.Unknown(), { additionalProperties: false })

export const operatorMerchantsCreateContract = defineOperatorOperation('operator.merchants.create', {
  summary: 'Creates a merchant, and returns its password once.',
  mutates: true,
  params: Type.Object({ patch }),
  result: issuedMerchant,
})

export const operatorMerchantsListContract = defineOperatorOperation('operator.merchants.list', {
  summary: 'Lists the merchants in the order of their ids.',
  mutates: false,
  params: Type.Object({
    after: Type.String({ pattern: '^([0-9a-f]{24})?$', description: 'A merchant id is 24 hex digits.' }),
    count: listLength,
  }),
  result: Type.Object({
    merchants: Type.Array(Type.Object({ merchantId: text, name: text, businessId: text, state: text, createdAt: isoTimestampOrNull })),
  }),
})

export const operatorMerchantsGetContract = defineOperatorOperation('operator.merchants.get', {
  summary: 'Returns the settings of a merchant, and when its passwords were created, last used and retired.',
  mutates: false,
  params: merchantIdParams,
  result: merchant,
})

export const operatorMerchantsChangeContract = defineOperatorOperation('operator.merchants.change', {
  summary: 'Changes the settings of a merchant that are given.',
  mutates: true,
  params: Type.Object({ merchantId, patch }),
  result: merchant,
})

export const operatorMerchantsBlockContract = defineOperatorOperation('operator.merchants.block', {
  summary: 'Blocks a merchant: every request of it is refused.',
  mutates: true,
  params: merchantIdParams,
  result: merchant,
})

export const operatorMerchantsUnblockContract = defineOperatorOperation('operator.merchants.unblock', {
  summary: 'Unblocks a merchant.',
  mutates: true,
  params: merchantIdParams,
  result: merchant,
})

export const operatorMerchantsPublishEvidenceContract = defineOperatorOperation('operator.merchants.publishEvidence', {
  summary: 'Shows a merchant the evidence that the operator has signed for it, in the dashboard.',
  mutates: true,
  params: Type.Object({
    merchantId,
    pack: Type.String({
      minLength: 1,
      maxLength: maxPackLength,
      description: 'A pack is one line, as tessera evidence --merchant writes it.',
    }),
  }),
  result: operatorDone,
})

export const operatorPasswordsRotateContract = defineOperatorOperation('operator.passwords.rotate', {
  summary: 'Creates another password of a merchant, and returns it once.',
  mutates: true,
  params: Type.Object({
    merchantId,
    scope: Type.Optional(Type.Union([Type.Literal('cards'), Type.Literal('full')], { description: 'The scope is cards or full.' })),
  }),
  result: issuedMerchant,
})

export const operatorPasswordsRetireContract = defineOperatorOperation('operator.passwords.retire', {
  summary: 'Retires a password of a merchant. The last one of the scope `full` stays.',
  mutates: true,
  params: Type.Object({ merchantId, number: Type.Optional(Type.Integer({ description: 'Which password is a whole number.' })) }),
  result: merchant,
})

export const operatorEndpointsSetContract = defineOperatorOperation('operator.endpoints.set', {
  summary: "Sets the merchant's own server, which is called before and after a payment.",
  mutates: true,
  params: Type.Object({
    merchantId,
    url: Type.String({ description: 'A URL is required.' }),
    login: Type.String({ description: 'A login is required.' }),
    password: Type.String({ description: 'A password is required.' }),
  }),
  result: Type.Object({ merchantId: text, endpoint }),
})

export const operatorEndpointsRemoveContract = defineOperatorOperation('operator.endpoints.remove', {
  summary: "Removes the merchant's own server.",
  mutates: true,
  params: merchantIdParams,
  result: Type.Object({ merchantId: text, endpoint }),
})

export const operatorEndpointsTestContract = defineOperatorOperation('operator.endpoints.test', {
  summary: "Asks the merchant's own server whether it would take a payment, which changes nothing there.",
  mutates: false,
  params: Type.Object({
    merchantId,
    amountTiyin: Type.Integer({ description: 'An amount is a whole number of tiyin.' }),
    account: Type.Record(Type.String({ pattern: givenAccountFieldPattern }), text, { additionalProperties: false }),
  }),
  result: Type.Object({
    merchantId: text,
    kind: Type.Union([Type.Literal('agreed'), Type.Literal('refused'), Type.Literal('silent')]),
    reason: Type.Optional(text),
    error: Type.Optional(Type.Object({ code: Type.Integer() })),
  }),
})

export const operatorMerchantOperations = operationsByName(
  operatorMerchantsCreateContract,
  operatorMerchantsListContract,
  operatorMerchantsGetContract,
  operatorMerchantsChangeContract,
  operatorMerchantsBlockContract,
  operatorMerchantsUnblockContract,
  operatorMerchantsPublishEvidenceContract,
  operatorPasswordsRotateContract,
  operatorPasswordsRetireContract,
  operatorEndpointsSetContract,
  operatorEndpointsRemoveContract,
  operatorEndpointsTestContract,
)
