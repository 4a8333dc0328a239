import Type from 'typebox'

import { accountFieldNamePattern } from '../receipt.ts'
import { maxAmountTiyin } from '../receipt.ts'
import { defineOperation, operationsByName } from './operation.ts'
import { done } from './dashboard-session.ts'

const timestamp = Type.Integer({ description: 'Unix milliseconds.' })
const timestampOrNull = Type.Union([timestamp, Type.Null()])
const title = Type.String({ minLength: 1, maxLength: 100 })

const accountField = Type.Object({
  name: Type.String({ pattern: accountFieldNamePattern, description: 'The name in `account` of receipts.create.' }),
  title: Type.Object({ uz: title, ru: title, en: title }),
  required: Type.Boolean(),
  kind: Type.Optional(
    Type.Union([Type.Literal('text'), Type.Literal('reference')], {
      default: 'text',
      description:
        '`reference`: order numbers, which may look like card numbers by a short prefix; judged by prefixes of at least four digits only.',
    }),
  ),
})

/** What the merchant itself may change; the provider changes the rest. */
const changeable = {
  origins: Type.Array(Type.String({ maxLength: 255 }), {
    maxItems: 20,
    description: '`https://shop.example`: scheme, host and port alone.',
  }),
  accountFields: Type.Array(accountField, { maxItems: 20, description: 'The main one first; when empty, any fields are accepted.' }),
  minAmountTiyin: Type.Integer({ minimum: 1, maximum: maxAmountTiyin }),
  maxAmountTiyin: Type.Integer({ minimum: 1, maximum: maxAmountTiyin }),
  requireFormSessions: Type.Boolean({ description: 'Whether cards can be created only with a form session.' }),
  strictServerAuth: Type.Boolean({ description: 'Whether cards.check and cards.remove need the password at /api too.' }),
  refundUnconfirmedMaxTiyin: Type.Integer({
    minimum: 0,
    maximum: maxAmountTiyin,
    description: 'Refunds above it ask the user to confirm who they are. Only an owner changes it.',
  }),
  requireSecondFactor: Type.Boolean({ description: 'Whether every user needs a second factor. Only an owner changes it.' }),
  brandColor: Type.String({ maxLength: 7, description: 'Color of the hosted page, `#rrggbb`; empty for its own.' }),
  logo: Type.Union([Type.String({ maxLength: 43_692 }), Type.Null()], {
    description: 'Logo on the hosted page, a PNG as base64, of at most 32 KiB and 512 by 512 pixels; null without one.',
  }),
}

const number = Type.Integer({ minimum: 1, description: 'From 1, in the order of creation.' })

const scope = Type.Union([Type.Literal('cards'), Type.Literal('full')], {
  description: '`cards`: cards.* and form.sessions.* only; `full`: every method.',
})

const label = Type.String({
  maxLength: 40,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  description: "What the merchant calls it, such as the server that has it; '' without one.",
})

const password = Type.Object({ number, scope, label, createdAt: timestamp, lastUsedAt: timestampOrNull, retiredAt: timestampOrNull })

export const dashboardSettingsGetContract = defineOperation('dashboard.settings.get', {
  summary: 'Returns the settings of the merchant; of its API passwords only when they were created and used.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    merchantId: Type.String(),
    name: Type.String(),
    organization: Type.String(),
    address: Type.String(),
    ...changeable,
    limits: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() }), {
      description: 'Agreed limits that replace the general ones; only the provider changes them.',
    }),
    passwords: Type.Array(password, { description: 'The newest first.' }),
  }),
  errors: [],
})

export const dashboardSettingsChangeContract = defineOperation('dashboard.settings.change', {
  summary: 'Changes the given settings.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Partial(Type.Object(changeable)),
  result: done,
  errors: ['settingRefused', 'roleTooLow', 'confirmationRequired', 'overloaded'],
})

export const dashboardPasswordsRotateContract = defineOperation('dashboard.passwords.rotate', {
  summary: 'Creates an API password; the others stay valid until they are retired. Only an owner creates one of the scope `full`.',
  caller: 'dashboard',
  role: 'developer',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ scope, label: Type.Optional(label) }),
  result: Type.Object({ number, password: Type.String({ description: 'Returned only here.' }) }),
  errors: ['twoPasswordsLive', 'roleTooLow', 'overloaded'],
})

export const dashboardPasswordsRenameContract = defineOperation('dashboard.passwords.rename', {
  summary: 'Changes the label of an API password.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({ number, label }),
  result: done,
  errors: ['settingRefused', 'overloaded'],
})

export const dashboardPasswordsRetireContract = defineOperation('dashboard.passwords.retire', {
  summary: 'Retires an active API password at once; the last one of the scope `full` cannot be retired.',
  caller: 'dashboard',
  role: 'developer',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ number }),
  result: done,
  errors: ['lastPassword', 'settingRefused', 'overloaded'],
})

/** What is agreed with the merchant, and its API passwords. */
export const dashboardSettingsOperations = operationsByName(
  dashboardSettingsGetContract,
  dashboardSettingsChangeContract,
  dashboardPasswordsRotateContract,
  dashboardPasswordsRenameContract,
  dashboardPasswordsRetireContract,
)
