import Type from 'typebox'

import type { DashboardEntry } from './method-entry.ts'
import { done, phone, role } from './methods.dashboard.session.ts'

const userId = Type.String({ pattern: '^[0-9a-f]{24}$' })
const issued = Type.Object({ userId, password: Type.String({ description: 'Good for one sign-in; told here and never again.' }) })

/** The people of one merchant, looked after by its owners. */
export const dashboardUserMethods = {
  'dashboard.users.list': {
    summary: 'Lists the users of the merchant.',
    ...{ caller: 'dashboard', role: 'owner', mutates: false, params: Type.Object({}) },
    result: Type.Object({
      users: Type.Array(
        Type.Object({
          ...{ userId, role },
          phone: Type.String(),
          state: Type.Union([Type.Literal('active'), Type.Literal('blocked')]),
          totp: Type.Boolean(),
          mustChangePassword: Type.Boolean(),
          createdAt: Type.Integer(),
        }),
      ),
    }),
    errors: [],
  },
  'dashboard.users.create': {
    summary: 'Makes a user, with a password for one sign-in.',
    ...{ caller: 'dashboard', role: 'owner', mutates: true, params: Type.Object({ phone, role }), result: issued },
    errors: ['phoneTaken', 'overloaded'],
  },
  'dashboard.users.setRole': {
    summary: 'Gives a user another role.',
    ...{ caller: 'dashboard', role: 'owner', mutates: true, params: Type.Object({ userId, role }), result: done },
    errors: ['userNotFound', 'lastOwner'],
  },
  'dashboard.users.block': {
    summary: 'Blocks a user and ends its sessions, or takes that back.',
    ...{ caller: 'dashboard', role: 'owner', mutates: true, params: Type.Object({ userId, blocked: Type.Boolean() }), result: done },
    errors: ['userNotFound', 'lastOwner'],
  },
  'dashboard.users.resetPassword': {
    summary: 'Issues a new password for one sign-in; the second factor is turned off, the sessions end.',
    ...{ caller: 'dashboard', role: 'owner', mutates: true, params: Type.Object({ userId }), result: issued },
    errors: ['userNotFound', 'overloaded'],
  },
} as const satisfies Record<string, DashboardEntry>
