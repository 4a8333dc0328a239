import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next } from './dashboard-cards.ts'
import { done } from './dashboard-session.ts'

/** The lists of the dashboard that are written to files, and the report of compliance with its evidence. */
export const exportedLists = [
  'receipts',
  'totals',
  'cards',
  'customers',
  'verification',
  'requests',
  'audit',
  'consents',
  'findings',
  'scripts',
  'responsibilities',
  'compliance',
  'evidence',
] as const
export type ExportedList = (typeof exportedLists)[number]

/** What an action changed, as an audit entry shows it. */
export const auditChanges = Type.Array(
  Type.Object({
    name: Type.String({ description: 'The setting.' }),
    from: Type.Union([Type.String(), Type.Null()], { description: 'Null: there was no value.' }),
    to: Type.Union([Type.String(), Type.Null()], { description: 'Null: there is no value.' }),
  }),
  { description: 'What changed from what to what; never a secret.' },
)

const entry = Type.Object({
  at: Type.Integer({ description: 'Unix milliseconds.' }),
  actor: Type.Union(
    [
      Type.Literal('user'),
      Type.Literal('operator'),
      Type.Literal('visitor'),
      Type.Literal('merchant'),
      Type.Literal('cardholder'),
      Type.Literal('system'),
    ],
    {
      description:
        '`visitor`: somebody who did not sign in; `merchant`: its page or server; `cardholder`: the person who used the card form.',
    },
  ),
  userId: Type.Union([Type.String(), Type.Null()]),
  phone: Type.Union([Type.String(), Type.Null()], { description: 'Of the user, masked; null when that user no longer exists.' }),
  name: Type.String({ description: "Of the user; '' without one, and when that user no longer exists." }),
  action: Type.String({ description: 'An audit action: `merchant.changed`, `dashboard.signed_in` …' }),
  subject: Type.String({ description: 'The id of the object of the action.' }),
  subjectUser: Type.Union([Type.Object({ phone: Type.String({ description: 'Masked.' }), name: Type.String() }), Type.Null()], {
    description: 'Of an action on a user, that user; null when that user no longer exists.',
  }),
  outcome: Type.String(),
  changes: auditChanges,
  address: Type.String({
    description: "The caller's address; empty for background jobs, operators and entries from before it was recorded.",
  }),
  requestId: Type.String(),
  proof: Type.String({ description: 'Hash of the entry in its chain, hex: what the operator’s `audit verify` recomputes.' }),
})

const person = Type.Object({
  userId: Type.String(),
  phone: Type.String({ description: 'Masked.' }),
  name: Type.String({ description: "'' without one." }),
})

/** What the entries are limited to. */
const conditions = {
  subject: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{24}$', description: 'A card, receipt or user; the other conditions do not apply then.' }),
  ),
  userId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$', description: 'Of one user.' })),
  action: Type.Optional(Type.String({ pattern: '^[a-z_.]{1,64}$', description: 'Of one kind.' })),
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'At this time or later, Unix milliseconds.' })),
  to: Type.Optional(Type.Integer({ minimum: 0, description: 'Before this time.' })),
}

export const dashboardAuditListContract = defineOperation('dashboard.audit.list', {
  summary:
    'Lists the actions of users and operators, newest first; with `subject` everything that was done to one card, receipt or user, by API calls too. With `userId` or `action` a page may be short, or empty, and still have a next one.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object({
    after,
    count,
    ...conditions,
  }),
  result: Type.Object({
    entries: Type.Array(entry),
    next,
    people: Type.Array(person, { description: 'The users of the merchant, on the first page of a list without `subject`.' }),
  }),
  errors: [],
})

export const dashboardAuditExportContract = defineOperation('dashboard.audit.export', {
  summary: 'Returns a page of the same list that the service signed, to be checked offline: `tessera audit verify-export`.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ after, count, ...conditions }),
  result: Type.Object({
    text: Type.String({ description: 'The signed header of the page and its entries, a line of JSON each.' }),
    entries: Type.Integer(),
    next,
  }),
  errors: [],
})

const exportId = Type.String({ pattern: '^[0-9a-f]{24}$' })

export const dashboardExportsStartContract = defineOperation('dashboard.exports.start', {
  summary: 'Records in the audit that the user begins to write a list to a file. The dashboard calls it before the first page.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    list: Type.Unsafe<ExportedList>(Type.Union(exportedLists.map((name) => Type.Literal(name)))),
    format: Type.Union([Type.Literal('csv'), Type.Literal('xlsx'), Type.Literal('json')]),
    conditions: Type.Array(
      Type.Object({
        name: Type.String({ pattern: '^[a-zA-Z]{1,24}$' }),
        value: Type.String({
          pattern: '^(?:[a-z_.]{0,64}|[0-9a-f]{24}|-?[0-9]{1,14}(?:\\.[0-9]{2})?|[0-9]{4}-[0-9]{2}-[0-9]{2})$',
          description: "A word, an id, a number or a day; '' for what a person typed, which is not recorded.",
        }),
      }),
      { maxItems: 20, description: 'The filter of the list.' },
    ),
  }),
  result: Type.Object({ exportId: Type.String({ description: 'Subject of the two entries.' }) }),
  errors: ['overloaded'],
})

export const dashboardExportsFinishContract = defineOperation('dashboard.exports.finish', {
  summary: 'Records in the audit how an export of the same user ended, and how many rows were read.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    exportId,
    outcome: Type.Union([Type.Literal('done'), Type.Literal('cancelled'), Type.Literal('broken')]),
    rows: Type.Integer({ minimum: 0, maximum: 100_000_000 }),
  }),
  result: done,
  errors: ['overloaded'],
})

/** The audit, and what users took out of the dashboard. */
export const dashboardAuditOperations = operationsByName(
  dashboardAuditListContract,
  dashboardAuditExportContract,
  dashboardExportsStartContract,
  dashboardExportsFinishContract,
)
