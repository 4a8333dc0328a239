import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'

export const phone = Type.String({ pattern: '^[0-9]{9,15}$', description: 'Digits of the international number, no plus.' })
export const role = Type.Union([Type.Literal('read'), Type.Literal('support'), Type.Literal('developer'), Type.Literal('owner')])
export const done = Type.Object({ success: Type.Boolean() })
/** Limited in length, because it is hashed. */
const password = Type.String({ minLength: 1, maxLength: 128 })
const totpCode = Type.String({ pattern: '^[0-9]{6}$' })
const code = Type.String({
  pattern: '^([0-9]{6}|[A-Za-z -]{12,24})$',
  description: 'The six digits of the authenticator, or a recovery code.',
})
const base64url = (maxLength: number) => Type.String({ pattern: '^[A-Za-z0-9_-]*$', maxLength })
/** What the browser returns for `navigator.credentials.get`; bytes are base64url. */
export const passkeyAssertion = Type.Object({
  id: base64url(1400),
  clientDataJSON: base64url(4096),
  authenticatorData: base64url(2048),
  signature: base64url(2048),
  userHandle: Type.Optional(base64url(128)),
})
/** What `navigator.credentials.get` needs. */
export const passkeyRequest = Type.Object({
  challenge: Type.String(),
  rpId: Type.String(),
  credentialIds: Type.Array(Type.String(), { description: 'Empty: any passkey of this site.' }),
})
const passkeyRequestOrNull = Type.Union([passkeyRequest, Type.Null()])
const proofRequest = Type.Object({
  challenge: Type.String({ description: 'The challenge of the proof of work, 32 bytes in hex.' }),
  bits: Type.Integer({ description: 'Leading zero bits of SHA-256 of challenge and nonce (8 bytes).' }),
})
const needs = Type.Union([Type.Literal('totp'), Type.Literal('passkey'), Type.Literal('password'), Type.Literal('proof'), Type.Null()], {
  description:
    '`totp`: a code of the authenticator or a recovery code; `passkey`: a passkey or a recovery code; `password`: beside a synced passkey, the password or a recovery code; `proof`: a proof of work, where a password was sent.',
})
const signInResult = Type.Object({ needs, passkey: passkeyRequestOrNull, proof: Type.Optional(proofRequest) })
const recoveryCodes = Type.Array(Type.String(), {
  description: 'New recovery codes, returned only here; empty when the user has some already.',
})
const noParams = Type.Object({})

const proof = Type.Object({
  challenge: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  nonce: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})

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
  totp: Type.Boolean({ description: 'Whether the user has an authenticator.' }),
  mustAddSecondFactor: Type.Boolean({ description: 'The merchant requires a second factor, and the user has none yet.' }),
  lifetime: Type.Object(
    {
      idleMs: Type.Integer({ description: 'The session ends when there was no call for this long.' }),
      leftMs: Type.Integer({ description: 'It ends after this in any case.' }),
    },
    { description: 'When the session ends.' },
  ),
})

export const dashboardSessionSignInContract = defineOperation('dashboard.session.signIn', {
  summary: 'Signs in by phone and password; with `needs` once more, with a code, a passkey or a proof of work.',
  caller: 'dashboard',
  role: 'visitor',
  mutates: true,
  // Its own queue limits it: by address, a flood would keep out those who share the flooder's.
  limit: 'none',
  params: Type.Object({
    phone,
    password,
    code: Type.Optional(code),
    passkey: Type.Optional(passkeyAssertion),
    proof: Type.Optional(proof),
  }),
  result: signInResult,
  errors: ['signInRefused', 'signInLocked', 'overloaded'],
})

export const dashboardSessionPasskeyChallengeContract = defineOperation('dashboard.session.passkeyChallenge', {
  summary: 'Returns a challenge for signing in by a passkey; it is valid for five minutes.',
  caller: 'dashboard',
  role: 'visitor',
  mutates: false,
  limit: 'verify',
  params: noParams,
  result: Type.Object({ passkey: passkeyRequest }),
  errors: [],
})

export const dashboardSessionSignInByPasskeyContract = defineOperation('dashboard.session.signInByPasskey', {
  summary: 'Signs in by a passkey. A synced one needs a code or the password too, where the merchant requires a second factor.',
  caller: 'dashboard',
  role: 'visitor',
  mutates: true,
  limit: 'verify',
  params: Type.Object({ passkey: passkeyAssertion, code: Type.Optional(code), password: Type.Optional(password) }),
  result: signInResult,
  errors: ['signInRefused', 'overloaded'],
})

export const dashboardSessionConfirmBeginContract = defineOperation('dashboard.session.confirmBegin', {
  summary: 'Returns by what the user can confirm who they are, with a challenge for a passkey.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: noParams,
  result: Type.Object({
    password: Type.Boolean({ description: 'Only a user without a second factor confirms by the password.' }),
    totp: Type.Boolean(),
    recoveryCodesLeft: Type.Integer(),
    passkey: passkeyRequestOrNull,
    minutes: Type.Integer({ description: 'How long a confirmation is valid.' }),
  }),
  errors: [],
})

export const dashboardSessionConfirmContract = defineOperation('dashboard.session.confirm', {
  summary: 'Confirms who the user is, by one of the password, a code and a passkey, for some minutes of this session.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'verify',
  params: Type.Object({ password: Type.Optional(password), code: Type.Optional(code), passkey: Type.Optional(passkeyAssertion) }),
  result: Type.Object({ validUntil: Type.Integer({ description: 'Unix milliseconds.' }) }),
  errors: ['passwordWrong', 'totpWrong', 'passkeyRefused', 'memberMissing', 'overloaded'],
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
  confirmation: 'secondFactor',
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
  confirmation: 'secondFactor',
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
  params: Type.Object({ code: totpCode }),
  result: Type.Object({ recoveryCodes }),
  errors: ['totpWrong'],
})

export const dashboardTotpRemoveContract = defineOperation('dashboard.totp.remove', {
  summary: 'Disables the second factor.',
  caller: 'dashboard',
  role: 'read',
  confirmation: 'secondFactor',
  mutates: true,
  limit: 'verify',
  params: Type.Object({ password }),
  result: done,
  errors: ['passwordWrong', 'overloaded'],
})

export const dashboardRecoveryCodesGetContract = defineOperation('dashboard.recoveryCodes.get', {
  summary: "Returns how many of the user's recovery codes are left.",
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: noParams,
  result: Type.Object({ left: Type.Integer() }),
  errors: [],
})

export const dashboardRecoveryCodesRenewContract = defineOperation('dashboard.recoveryCodes.renew', {
  summary: 'Creates ten recovery codes; all earlier ones end.',
  caller: 'dashboard',
  role: 'read',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: noParams,
  result: Type.Object({ recoveryCodes }),
  errors: [],
})

const passkeyId = Type.String({ pattern: '^[0-9a-f]{24}$' })
const passkeyName = Type.String({ minLength: 1, maxLength: 60 })

export const dashboardPasskeysListContract = defineOperation('dashboard.passkeys.list', {
  summary: "Lists the user's passkeys, the oldest first.",
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: noParams,
  result: Type.Object({
    passkeys: Type.Array(
      Type.Object({
        passkeyId,
        name: Type.String(),
        isSynced: Type.Boolean({ description: 'Copies of the key may be on other devices: it counts as one factor.' }),
        createdAt: Type.Integer(),
        lastUsedAt: Type.Union([Type.Integer(), Type.Null()]),
      }),
    ),
  }),
  errors: [],
})

export const dashboardPasskeysBeginContract = defineOperation('dashboard.passkeys.begin', {
  summary: 'Returns what the browser needs to create a passkey; it is valid for five minutes.',
  caller: 'dashboard',
  role: 'read',
  confirmation: 'always',
  mutates: false,
  limit: 'write',
  params: noParams,
  result: Type.Object({
    challenge: Type.String(),
    rpId: Type.String(),
    userHandle: Type.String({ description: 'Base64url.' }),
    userName: Type.String({ description: 'The masked phone.' }),
    algorithms: Type.Array(Type.Integer(), { description: 'COSE (RFC 9053), the preferred one first.' }),
    registeredIds: Type.Array(Type.String()),
  }),
  errors: ['tooManyPasskeys'],
})

export const dashboardPasskeysAddContract = defineOperation('dashboard.passkeys.add', {
  summary: 'Registers a passkey that the browser created.',
  caller: 'dashboard',
  role: 'read',
  confirmation: 'always',
  mutates: true,
  limit: 'verify',
  params: Type.Object({
    name: passkeyName,
    id: base64url(1400),
    clientDataJSON: base64url(4096),
    attestationObject: base64url(16_384),
    transports: Type.Array(Type.String({ maxLength: 32 }), { maxItems: 8 }),
  }),
  result: Type.Object({ passkeyId, isSynced: Type.Boolean(), recoveryCodes }),
  errors: ['passkeyRefused', 'passkeyExists', 'tooManyPasskeys'],
})

export const dashboardPasskeysRenameContract = defineOperation('dashboard.passkeys.rename', {
  summary: 'Gives a passkey another name.',
  caller: 'dashboard',
  role: 'read',
  mutates: true,
  limit: 'write',
  params: Type.Object({ passkeyId, name: passkeyName }),
  result: done,
  errors: ['passkeyNotFound'],
})

export const dashboardPasskeysRemoveContract = defineOperation('dashboard.passkeys.remove', {
  summary: 'Removes a passkey.',
  caller: 'dashboard',
  role: 'read',
  confirmation: 'always',
  mutates: true,
  limit: 'write',
  params: Type.Object({ passkeyId }),
  result: done,
  errors: ['passkeyNotFound'],
})

/** The caller's own session, password, second factor and passkeys. */
export const dashboardSessionOperations = operationsByName(
  dashboardSessionSignInContract,
  dashboardSessionPasskeyChallengeContract,
  dashboardSessionSignInByPasskeyContract,
  dashboardSessionGetContract,
  dashboardSessionConfirmBeginContract,
  dashboardSessionConfirmContract,
  dashboardSessionSignOutContract,
  dashboardSessionSignOutEverywhereContract,
  dashboardSessionListContract,
  dashboardPasswordChangeContract,
  dashboardTotpBeginContract,
  dashboardTotpConfirmContract,
  dashboardTotpRemoveContract,
  dashboardRecoveryCodesGetContract,
  dashboardRecoveryCodesRenewContract,
  dashboardPasskeysListContract,
  dashboardPasskeysBeginContract,
  dashboardPasskeysAddContract,
  dashboardPasskeysRenameContract,
  dashboardPasskeysRemoveContract,
)
