import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'

/** The periods of charts. */
export const days = Type.Union([Type.Literal(1), Type.Literal(7), Type.Literal(30), Type.Literal(90)])

const step = Type.Object({
  at: Type.Integer({ description: 'When the hour or the day begins; days are those of Tashkent (UTC+5).' }),
  created: Type.Integer(),
  verified: Type.Integer(),
  paid: Type.Integer(),
  paidTiyin: Type.Integer(),
  refused: Type.Integer({ description: 'Payments.' }),
  p50Ms: Type.Union([Type.Integer(), Type.Null()], { description: 'How long half of the calls took at most; null when there were none.' }),
  p95Ms: Type.Union([Type.Integer(), Type.Null()]),
})

const cause = Type.Object({ reason: Type.String(), count: Type.Integer() })

export const dashboardOverviewGetContract = defineOperation('dashboard.overview.get', {
  summary: 'Returns the statistics of a period, by hour for one day and by day for longer ones, and why payments and codes were refused.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ days }),
  result: Type.Object({
    steps: Type.Array(step),
    total: Type.Object({ ...Type.Omit(step, ['at']).properties, codesSent: Type.Integer(), calls: Type.Integer() }),
    declines: Type.Array(cause, { description: 'Of payments, most often first.' }),
    codesRefused: Type.Array(cause, { description: 'Of codes that were not sent, most often first.' }),
  }),
  errors: [],
})

export const dashboardOverviewOperations = operationsByName(dashboardOverviewGetContract)
