import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { after, count, next } from './dashboard-cards.ts'

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
    [Type.Literal('user'), Type.Literal('operator'), Type.Literal('visitor'), Type.Literal('merchant'), Type.Literal('system')],
    {
      description: '`visitor`: somebody who did not sign in; `merchant`: its page or server.',
    },
  ),
  userId: Type.Union([Type.String(), Type.Null()]),
  phone: Type.Union([Type.String(), Type.Null()], { description: 'Of the user, masked; null when that user no longer exists.' }),
  name: Type.String({ description: "Of the user; '' without one, and when that user no longer exists." }),
  action: Type.String({ description: 'An audit action: `merchant.changed`, `dashboard.signed_in` …' }),
  subject: Type.String({ description: 'The id of the object of the action.' }),
  outcome: Type.String(),
  changes: auditChanges,
  address: Type.String({
    description: "The caller's address; empty for background jobs, operators and entries from before it was recorded.",
  }),
  requestId: Type.String(),
  proof: Type.String({ description: 'Hash of the entry in its chain, hex: what the operator’s `audit verify` recomputes.' }),
})

export const dashboardAuditListContract = defineOperation('dashboard.audit.list', {
  summary:
    'Lists the actions of users and operators, newest first; with `subject` everything that was done to one card, receipt or user, by API calls too. With `userId` or `action` a page may be short, or empty, and still have a next one.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({
    after,
    count,
    subject: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{24}$', description: 'A card, receipt or user; the other conditions do not apply then.' }),
    ),
    userId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$', description: 'Of one user.' })),
    action: Type.Optional(Type.String({ pattern: '^[a-z_.]{1,64}$', description: 'Of one kind.' })),
    from: Type.Optional(Type.Integer({ minimum: 0, description: 'At this time or later, Unix milliseconds.' })),
    to: Type.Optional(Type.Integer({ minimum: 0, description: 'Before this time.' })),
  }),
  result: Type.Object({ entries: Type.Array(entry), next }),
  errors: [],
})

/** The audit. */
export const dashboardAuditOperations = operationsByName(dashboardAuditListContract)
