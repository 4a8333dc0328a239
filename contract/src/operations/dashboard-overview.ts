import Type from 'typebox'

import { period } from './dashboard-receipts.ts'
import { defineOperation, operationsByName } from './operation.ts'

const payments = {
  paid: Type.Integer({ description: 'Payments that were debited, as `dashboard.receipts.totals` counts them.' }),
  paidTiyin: Type.Integer(),
  refunded: Type.Integer({ description: 'Payments that were returned, whenever they were made.' }),
  refundedTiyin: Type.Integer(),
}

const step = Type.Object({
  at: Type.Integer({ description: 'When the hour or the day begins; days are those of Tashkent (UTC+5).' }),
  created: Type.Integer(),
  verified: Type.Integer(),
  ...payments,
  refused: Type.Integer({ description: 'Payments.' }),
  p50Ms: Type.Union([Type.Integer(), Type.Null()], { description: 'How long half of the calls took at most; null when there were none.' }),
  p95Ms: Type.Union([Type.Integer(), Type.Null()]),
})

const totals = Type.Object({
  ...Type.Omit(step, ['at']).properties,
  codesSent: Type.Integer(),
  attempts: Type.Integer({ description: 'Payments that got an answer: debited, held or declined.' }),
  approved: Type.Integer({ description: 'Of them, those that were debited or held.' }),
  calls: Type.Integer(),
})

const cause = Type.Object({ reason: Type.String(), count: Type.Integer() })

const errorGroup = Type.Object({
  method: Type.String(),
  code: Type.Integer(),
  reason: Type.String(),
  count: Type.Integer(),
  before: Type.Integer({ description: 'In the period before.' }),
  steps: Type.Array(Type.Integer(), { description: 'As many as those of the period.' }),
})

export const dashboardOverviewGetContract = defineOperation('dashboard.overview.get', {
  summary:
    'Returns the statistics of a period of at most 92 days and of the period before it, by hour for one day and by day for longer ones, why payments and codes were refused, and which errors calls ended with.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  isCompressible: true,
  params: Type.Object(period),
  result: Type.Object({
    steps: Type.Array(step),
    total: totals,
    before: Type.Object({
      ...period,
      steps: Type.Array(step, { description: 'As many as `steps`.' }),
      total: totals,
    }),
    declines: Type.Array(cause, { description: 'Of payments, most often first.' }),
    codesRefused: Type.Array(cause, { description: 'Of codes that were not sent, most often first.' }),
    errors: Type.Array(errorGroup, {
      description: 'Calls of the API that ended with an error, by method and error, the 12 most frequent.',
    }),
  }),
  errors: ['memberInvalid'],
})

export const dashboardOverviewOperations = operationsByName(dashboardOverviewGetContract)
