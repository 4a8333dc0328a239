import { RpcError } from '@tessera/contract/errors'
import type { Params, Result } from '@tessera/contract/operations'
import { maskPhone } from '@tessera/contract/card'
import { bucketOf, issueId } from '@tessera/vault/id'

import {
  type DashboardPasskeyRow,
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  updatePasskey,
} from '../../store/dashboard-passkeys.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'

import { retryOnConflict } from '../concurrency.ts'
import { keepValid } from '../verified-rows.ts'

import { sessionAuditEntry, type DashboardServices, type OwnAccount } from './dependencies.ts'
import { issueChallenge, readChallenge } from './passkey-challenges.ts'

export type PasskeyAssertion = Params<'dashboard.session.signInByPasskey'>['passkey']
export type PasskeyRequest = Result<'dashboard.session.passkeyChallenge'>['passkey']
export type NewPasskey = Params<'dashboard.passkeys.add'>

/** What a passkey is asked for, and for whom: a session, a user, or '' at sign-in, when the user is not known yet. */
export interface PasskeyPurpose {
  readonly purpose: 'sign_in' | 'second_factor' | 'confirm'
  readonly subject: string
  /** The dashboard's origin, which the browser signs. */
  readonly origin: string
}

/** A passkey whose signature was right. */
export interface VerifiedPasskey {
  readonly userId: string
  readonly method: 'passkey' | 'synced_passkey'
  /** Uses the challenge up and stores the counter; false when another request did so first. */
  accept(): Promise<boolean>
}

/** What the browser needs to ask for a passkey: of these, or any of this site. */
export async function requestPasskey(
  services: DashboardServices,
  { purpose, subject, origin }: PasskeyPurpose,
  passkeys: readonly DashboardPasskeyRow[] = [],
): Promise<PasskeyRequest> {
  const challenge = await issueChallenge(services, purpose, subject)
  return { challenge, rpId: rpIdOf(origin), credentialIds: passkeys.map(({ credentialId }) => credentialId) }
}

/**
 * Verifies the signature of a passkey (WebAuthn §7.2): of this origin, over a challenge of ours for this purpose, with user verification and a counter
 * that went up. Null for anything else. Nothing is stored until `accept`.
 */
export async function verifyPasskey(
  services: DashboardServices,
  assertion: PasskeyAssertion,
  { purpose, subject, origin }: PasskeyPurpose,
): Promise<VerifiedPasskey | null> {
  const { store, passkeys, clock } = services
  const stored = await store.read(findPasskey(assertion.id))
  if (stored === null || !(await passkeys.isValid(stored))) return null
  const issuedAt = await readChallenge(services, challengeIn(assertion.clientDataJSON), purpose, subject)
  if (issuedAt === null || issuedAt <= stored.challengedAt) return null
  const counter = await verifySignature(stored, assertion, origin)
  if (counter === null) return null
  return {
    userId: stored.userId,
    method: stored.isSynced ? 'synced_passkey' : 'passkey',
    async accept() {
      const used = await passkeys.seal({ ...stored, counter, challengedAt: issuedAt, lastUsedAt: clock.now() })
      return store.write(updatePasskey, { passkey: used, previousMac: stored.mac, audit: null })
    },
  }
}

/** The counter of a right signature; null for a wrong one. */
async function verifySignature(stored: DashboardPasskeyRow, assertion: PasskeyAssertion, origin: string): Promise<number | null> {
  // Loaded when it is needed: most processes never verify a passkey (docs/decisions/0038-step-up-and-passkeys.md).
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, clientDataJSON, authenticatorData, signature } = assertion
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: () => true,
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      credential: { id: stored.credentialId, publicKey: Uint8Array.from(stored.publicKey), counter: stored.counter },
      requireUserVerification: true,
    })
    // Whether a key may be copied is fixed when it is created (WebAuthn §6.1.3).
    const isSynced = authenticationInfo.credentialDeviceType === 'multiDevice'
    return verified && isSynced === stored.isSynced ? authenticationInfo.newCounter : null
  } catch {
    return null
  }
}

/** The user's passkeys, the oldest first. */
export async function listOwnPasskeys(services: DashboardServices, user: Pick<DashboardUserRow, 'userId' | 'merchantId'>) {
  const rows = await keepValid(services.passkeys, await services.store.read(listPasskeys(user.userId)))
  return rows.filter(({ merchantId }) => merchantId === user.merchantId)
}

/** Whether the user has an authenticator or a passkey. A passkey whose row was changed outside the service counts: without it the password would be enough. */
export async function hasSecondFactor(
  { store }: DashboardServices,
  { userId, totp }: Pick<DashboardUserRow, 'userId' | 'totp'>,
): Promise<boolean> {
  return totp !== null || (await store.read(listPasskeys(userId))).length > 0
}

/** What the browser needs to create a passkey. */
export async function beginPasskey(
  services: DashboardServices,
  user: DashboardUserRow,
  { sessionId, origin }: { readonly sessionId: string; readonly origin: string },
): Promise<Result<'dashboard.passkeys.begin'>> {
  const registered = await services.store.read(listPasskeys(user.userId))
  if (registered.length >= maxPasskeys) throw new RpcError('tooManyPasskeys')
  return {
    challenge: await issueChallenge(services, 'register', sessionId),
    rpId: rpIdOf(origin),
    userHandle: Buffer.from(user.userId).toString('base64url'),
    userName: maskPhone(user.phone),
    algorithms: [...supportedAlgorithms],
    registeredIds: registered.map(({ credentialId }) => credentialId),
  }
}

/** Registers a passkey that the browser created (WebAuthn §7.1). Attestation is not asked for. Throws `passkeyRefused`, `passkeyExists`. */
export async function addPasskey(
  services: DashboardServices,
  user: DashboardUserRow,
  created: NewPasskey,
  { own, origin }: { readonly own: OwnAccount; readonly origin: string },
): Promise<DashboardPasskeyRow> {
  const { store, clock, passkeys } = services
  const issuedAt = await readChallenge(services, challengeIn(created.clientDataJSON), 'register', own.sessionId)
  const credential = issuedAt === null ? null : await verifyRegistration(created, origin)
  if (issuedAt === null || credential === null || !services.usedChallenges.add(challengeIn(created.clientDataJSON), clock.now()))
    throw new RpcError('passkeyRefused')
  if ((await store.read(listPasskeys(user.userId))).length >= maxPasskeys) throw new RpcError('tooManyPasskeys')
  const now = clock.now()
  const { userId, merchantId } = user
  const ids = { passkeyId: issueId(bucketOf(merchantId), now), credentialId: created.id, userId, merchantId, name: created.name.trim() }
  const times = { challengedAt: issuedAt, createdAt: now, lastUsedAt: 0 }
  const transports = JSON.stringify(created.transports)
  const passkey = await passkeys.seal({ ...ids, ...credential, ...times, transports, mac: new Uint8Array(0) })
  const audit = sessionAuditEntry(user, own, { at: now, action: 'dashboard_user.passkey_added', outcome: 'done' })
  const result = await store.write(insertPasskey, { passkey, sessionId: own.sessionId, audit })
  if (result === 'ended') throw new RpcError('signedOut')
  if (result === 'exists') throw new RpcError('passkeyExists')
  return passkey
}

async function verifyRegistration(
  { id, clientDataJSON, attestationObject }: NewPasskey,
  origin: string,
): Promise<Pick<DashboardPasskeyRow, 'publicKey' | 'counter' | 'isSynced'> | null> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response: { clientDataJSON, attestationObject } },
      expectedChallenge: () => true,
      expectedOrigin: origin,
      expectedRPID: rpIdOf(origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: [...supportedAlgorithms],
    })
    if (!verified || registrationInfo.credential.id !== id) return null
    const { credential, credentialDeviceType } = registrationInfo
    return { publicKey: credential.publicKey, counter: credential.counter, isSynced: credentialDeviceType === 'multiDevice' }
  } catch {
    return null
  }
}

/** Throws `passkeyNotFound`. */
export async function renamePasskey(
  services: DashboardServices,
  user: DashboardUserRow,
  own: OwnAccount,
  of: { passkeyId: string; name: string },
) {
  await retryOnConflict(async () => {
    const passkey = (await listOwnPasskeys(services, user)).find(({ passkeyId }) => passkeyId === of.passkeyId)
    if (passkey === undefined) throw new RpcError('passkeyNotFound', { data: 'passkeyId' })
    const renamed = await services.passkeys.seal({ ...passkey, name: of.name.trim() })
    const audit = sessionAuditEntry(user, own, { at: services.clock.now(), action: 'dashboard_user.passkey_renamed', outcome: 'done' })
    return (await services.store.write(updatePasskey, { passkey: renamed, previousMac: passkey.mac, audit })) ? renamed : null
  })
}

/** Also removes one whose row was changed outside the service. Throws `passkeyNotFound`. */
export async function removePasskey(
  services: DashboardServices,
  user: DashboardUserRow,
  own: OwnAccount,
  passkeyId: string,
): Promise<void> {
  const audit = sessionAuditEntry(user, own, { at: services.clock.now(), action: 'dashboard_user.passkey_removed', outcome: 'done' })
  if (!(await services.store.write(deletePasskey, { userId: user.userId, passkeyId, audit })))
    throw new RpcError('passkeyNotFound', { data: 'passkeyId' })
}

/** The relying party is the dashboard's host (WebAuthn §5.1.2): a passkey of another site is never offered, and its signature never fits. */
function rpIdOf(origin: string): string {
  return new URL(origin).hostname
}

/** The challenge that the browser signed, base64url; '' for malformed client data. */
function challengeIn(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as { readonly challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

const maxPasskeys = 20
/** ES256, EdDSA, RS256: what authenticators have (WebAuthn §5.4). */
const supportedAlgorithms = [-7, -8, -257] as const
