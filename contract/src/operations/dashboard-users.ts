import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { done, phone, role } from './dashboard-session.ts'

const userId = Type.String({ pattern: '^[0-9a-f]{24}$' })
const name = Type.String({
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  description: 'As the owners call the user.',
})
const issued = Type.Object({ userId, password: Type.String({ description: 'Valid for one sign-in; returned only here.' }) })

export const dashboardUsersListContract = defineOperation('dashboard.users.list', {
  summary: 'Lists the users of the merchant.',
  caller: 'dashboard',
  role: 'owner',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    users: Type.Array(
      Type.Object({
        userId,
        role,
        phone: Type.String(),
        name: Type.String({ description: "'' without one." }),
        state: Type.Union([Type.Literal('active'), Type.Literal('blocked')]),
        totp: Type.Boolean(),
        passkeys: Type.Integer({ description: 'How many the user has.' }),
        mustChangePassword: Type.Boolean(),
        lastSignInAt: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix milliseconds; null: never.' }),
        createdAt: Type.Integer(),
      }),
    ),
  }),
  errors: [],
})

export const dashboardUsersCreateContract = defineOperation('dashboard.users.create', {
  summary: 'Creates a user, with a password for one sign-in.',
  caller: 'dashboard',
  role: 'owner',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ phone, role, name: Type.Optional(name) }),
  result: issued,
  errors: ['phoneTaken', 'overloaded'],
})

export const dashboardUsersSetRoleContract = defineOperation('dashboard.users.setRole', {
  summary: 'Gives a user another role.',
  caller: 'dashboard',
  role: 'owner',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ userId, role }),
  result: done,
  errors: ['userNotFound', 'lastOwner'],
})

export const dashboardUsersBlockContract = defineOperation('dashboard.users.block', {
  summary: 'Blocks a user and ends their sessions, or unblocks them.',
  caller: 'dashboard',
  role: 'owner',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ userId, blocked: Type.Boolean() }),
  result: done,
  errors: ['userNotFound', 'lastOwner'],
})

export const dashboardUsersRenameContract = defineOperation('dashboard.users.rename', {
  summary: 'Gives a user a name.',
  caller: 'dashboard',
  role: 'owner',
  mutates: true,
  limit: 'write',
  params: Type.Object({ userId, name }),
  result: done,
  errors: ['userNotFound'],
})

export const dashboardUsersDeleteContract = defineOperation('dashboard.users.delete', {
  summary: 'Deletes another user with their sessions, second factor, passkeys and recovery codes; what they did stays in the audit.',
  caller: 'dashboard',
  role: 'owner',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ userId }),
  result: done,
  errors: ['userNotFound', 'lastOwner'],
})

export const dashboardUsersResetPasswordContract = defineOperation('dashboard.users.resetPassword', {
  summary: 'Issues a new password for one sign-in; the sessions, the second factor, passkeys and recovery codes end.',
  caller: 'dashboard',
  role: 'owner',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ userId }),
  result: issued,
  errors: ['userNotFound', 'overloaded'],
})

/** The users of one merchant, managed by its owners. */
export const dashboardUserOperations = operationsByName(
  dashboardUsersListContract,
  dashboardUsersCreateContract,
  dashboardUsersSetRoleContract,
  dashboardUsersBlockContract,
  dashboardUsersRenameContract,
  dashboardUsersDeleteContract,
  dashboardUsersResetPasswordContract,
)
