import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, merchantId, merchantIdParams } from './operator.ts'

const userId = Type.String({
  pattern: '^[0-9a-f]{24}$',
  description: 'A user id is 24 hex digits: see tessera dashboard users list <merchant>',
})
const phone = Type.String({ pattern: '^[0-9]{9,15}$', description: 'A phone is 9 to 15 digits, no plus.' })
const role = Type.Enum(['read', 'support', 'developer', 'owner'], { description: 'A role is one of: read, support, developer, owner.' })
const state = Type.Union([Type.Literal('active'), Type.Literal('blocked')])
const password = Type.String({ description: 'Valid for one sign-in; returned only here.' })

export const operatorUsersCreateContract = defineOperatorOperation('operator.users.create', {
  summary: 'Creates a user of the dashboard, and returns a password for one sign-in.',
  mutates: true,
  params: Type.Object({ merchantId, phone, role }),
  result: Type.Object({ merchantId, userId, phone, role, password }),
})

export const operatorUsersListContract = defineOperatorOperation('operator.users.list', {
  summary: 'Lists the users of a merchant.',
  mutates: false,
  params: merchantIdParams,
  result: Type.Object({
    merchantId,
    users: Type.Array(Type.Object({ userId, phone: Type.String(), role, state, totp: Type.Boolean(), mustChangePassword: Type.Boolean() })),
  }),
})

export const operatorUsersBlockContract = defineOperatorOperation('operator.users.block', {
  summary: 'Blocks or unblocks a user.',
  mutates: true,
  params: Type.Object({ merchantId, userId, blocked: Type.Boolean({ description: 'A user is blocked or not.' }) }),
  result: Type.Object({ merchantId, userId, state }),
})

export const operatorUsersResetPasswordContract = defineOperatorOperation('operator.users.resetPassword', {
  summary: 'Issues a new password for one sign-in, and ends the sessions of the user.',
  mutates: true,
  params: Type.Object({ merchantId, userId }),
  result: Type.Object({ merchantId, userId: Type.String(), password }),
})

export const operatorUserOperations = operationsByName(
  operatorUsersCreateContract,
  operatorUsersListContract,
  operatorUsersBlockContract,
  operatorUsersResetPasswordContract,
)
