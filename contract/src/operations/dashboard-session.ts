import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'

export const phone = Type.String({ pattern: '^[0-9]{9,15}$', description: 'Digits of the international number, no plus.' })
export const role = Type.Union([Type.Literal('read'), Type.Literal('support'), Type.Literal('developer'), Type.Literal('owner')])
export const done = Type.Object({ success: Type.Boolean() })
/** Limited in length, because it is hashed. */
const password = Type.String({ minLength: 1, maxLength: 128 })
const code = Type.String({ pattern: '^[0-9]{6}$' })
const noParams = Type.Object({})

/** The signed-in user; `csrf` is sent in the header X-Tessera-CSRF of every other call. */
const currentSession = Type.Object({
  csrf: Type.String(),
  userId: Type.String(),
  phone: Type.String({ description: 'Masked.' }),
  role,
  merchantId: Type.String(),
  merchantName: Type.String(),
  environment: Type.Union([Type.Literal('test'), Type.Literal('production')]),
  mustChangePassword: Type.Boolean(),
  clockOffsetMs: Type.Integer({ description: "How far the time of the test environment is ahead of the machine's." }),
  totp: Type.Boolean({ description: 'Whether a second factor is required.' }),
})

export const dashboardSessionSignInContract = defineOperation('dashboard.session.signIn', {
  summary: 'Signs in by phone and password; with `needs: "totp"` once more, with the code.',
  caller: 'dashboard',
  role: 'visitor',
  mutates: true,
  limit: 'verify',
  params: Type.Object({ phone, password, code: Type.Optional(code) }),
  result: Type.Object({ needs: Type.Union([Type.Literal('totp'), Type.Null()]) }),
  errors: ['signInRefused', 'overloaded'],
})

export const dashboardSessionGetContract = defineOperation('dashboard.session.get', {
  summary: 'Returns the signed-in user; null when there is none.',
  caller: 'dashboard',
  role: 'visitor',
  mutates: false,
  limit: 'read',
  params: noParams,
  result: Type.Object({ session: Type.Union([currentSession, Type.Null()]) }),
  errors: [],
})

export const dashboardSessionSignOutContract = defineOperation('dashboard.session.signOut', {
  summary: 'Ends this session, or another one of the same user.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: Type.Object({ sessionId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{24}$' })) }),
  result: done,
  errors: [],
})

export const dashboardSessionSignOutEverywhereContract = defineOperation('dashboard.session.signOutEverywhere', {
  summary: 'Ends every session of the user, this one too.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: noParams,
  result: Type.Object({ ended: Type.Integer() }),
  errors: [],
})

export const dashboardSessionListContract = defineOperation('dashboard.session.list', {
  summary: "Lists the user's live sessions, newest first.",
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: noParams,
  result: Type.Object({
    sessions: Type.Array(
      Type.Object({
        sessionId: Type.String(),
        current: Type.Boolean(),
        createdAt: Type.Integer(),
        lastSeenAt: Type.Integer(),
        userAgent: Type.String(),
        address: Type.String(),
      }),
    ),
  }),
  errors: [],
})

export const dashboardPasswordChangeContract = defineOperation('dashboard.password.change', {
  summary: "Changes the user's own password, and ends the other sessions.",
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: Type.Object({ password, newPassword: password }),
  result: done,
  errors: ['passwordWrong', 'passwordWeak', 'overloaded'],
})

export const dashboardTotpBeginContract = defineOperation('dashboard.totp.begin', {
  summary: 'Creates a secret for an authenticator; it takes effect when it is confirmed.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: Type.Object({ password }),
  result: Type.Object({
    secret: Type.String({ description: 'Base32.' }),
    uri: Type.String({ description: 'otpauth://, for a QR code.' }),
  }),
  errors: ['passwordWrong', 'overloaded'],
})

export const dashboardTotpConfirmContract = defineOperation('dashboard.totp.confirm', {
  summary: 'Enables the second factor, with a first code.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'verify',
  params: Type.Object({ code }),
  result: done,
  errors: ['totpWrong'],
})

export const dashboardTotpRemoveContract = defineOperation('dashboard.totp.remove', {
  summary: 'Disables the second factor.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'verify',
  params: Type.Object({ password, code }),
  result: done,
  errors: ['passwordWrong', 'totpWrong', 'overloaded'],
})

/** The caller's own session, password and second factor. */
export const dashboardSessionOperations = operationsByName(
  dashboardSessionSignInContract,
  dashboardSessionGetContract,
  dashboardSessionSignOutContract,
  dashboardSessionSignOutEverywhereContract,
  dashboardSessionListContract,
  dashboardPasswordChangeContract,
  dashboardTotpBeginContract,
  dashboardTotpConfirmContract,
  dashboardTotpRemoveContract,
)
