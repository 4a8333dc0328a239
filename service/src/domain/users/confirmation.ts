import { RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'

import { insertAuditEntry } from '../../store/audit.ts'
import { confirmDashboardSession, type DashboardSessionRow, findDashboardSession } from '../../store/dashboard-sessions.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'

import { retryOnConflict } from '../concurrency.ts'
import type { VerifiedRows } from '../verified-rows.ts'

import { sessionAuditEntry, type DashboardServices, type OwnAccount } from './dependencies.ts'
import { hasSecondFactor, listOwnPasskeys, type PasskeyAssertion, requestPasskey, verifyPasskey } from './passkeys.ts'
import { listUnusedRecoveryCodes } from './recovery-codes.ts'
import { confirmSecondFactor } from './second-factor.ts'
import type { SignInMethod } from './sessions.ts'
import { requirePassword } from './sign-in.ts'

/** How a user confirms who they are. A user with a second factor confirms by it, never by the password alone. */
export type ConfirmationProof = { readonly password: string } | { readonly code: string } | { readonly passkey: PasskeyAssertion }

export interface ConfirmationContext {
  readonly own: OwnAccount
  readonly origin: string
}

/** By what the user can confirm. */
export async function listConfirmationMethods(
  services: DashboardServices,
  user: DashboardUserRow,
  { own, origin }: ConfirmationContext,
): Promise<Result<'dashboard.session.confirmBegin'>> {
  const passkeys = await listOwnPasskeys(services, user)
  const hasTotp = user.totp !== null
  const request = { purpose: 'confirm', subject: own.sessionId, origin } as const
  return {
    password: !(await hasSecondFactor(services, user)),
    totp: hasTotp,
    recoveryCodesLeft: hasTotp || passkeys.length > 0 ? (await listUnusedRecoveryCodes(services, user)).length : 0,
    passkey: passkeys.length === 0 ? null : await requestPasskey(services, request, passkeys),
    minutes: Math.round(services.settings.confirmationMs / 60_000),
  }
}

/**
 * Confirms a session (step-up): operations that change credentials, roles or secrets ask for it. Returns until when it is valid. Throws `passwordWrong`,
 * `totpWrong`, `passkeyRefused`.
 */
export async function confirmSession(
  services: DashboardServices,
  rows: VerifiedRows<DashboardSessionRow>,
  user: DashboardUserRow,
  proof: ConfirmationProof,
  context: ConfirmationContext,
): Promise<number> {
  const { store, clock, settings } = services
  const { own } = context
  const method = await proveIdentity(services, user, proof, context)
  return retryOnConflict(async () => {
    const session = await store.read(findDashboardSession(own.sessionId))
    if (session === null || !(await rows.isValid(session)) || session.userId !== user.userId) throw new RpcError('signedOut')
    const at = clock.now()
    const audit = sessionAuditEntry(user, own, { at, action: 'dashboard.confirmed', outcome: `by_${method}` })
    const confirmed = await rows.seal({ ...session, method, confirmedAt: at })
    const isStored = await store.write(confirmDashboardSession, { session: confirmed, previousMac: session.mac, audit })
    return isStored ? at + settings.confirmationMs : null
  })
}

async function proveIdentity(
  services: DashboardServices,
  user: DashboardUserRow,
  proof: ConfirmationProof,
  { own, origin }: ConfirmationContext,
): Promise<SignInMethod> {
  const refuse = async (outcome: 'password' | 'code' | 'passkey'): Promise<void> => {
    const audit = sessionAuditEntry(user, own, { at: services.clock.now(), action: 'dashboard.confirmation_refused', outcome })
    await services.store.write(insertAuditEntry, { audit })
  }
  if ('passkey' in proof) {
    const verified = await verifyPasskey(services, proof.passkey, { purpose: 'confirm', subject: own.sessionId, origin })
    if (verified?.userId === user.userId && (await verified.accept())) return verified.method
    await refuse('passkey')
    throw new RpcError('passkeyRefused', { data: 'passkey' })
  }
  if ('code' in proof) {
    const kind = (await hasSecondFactor(services, user)) ? await confirmSecondFactor(services, user, proof.code, own) : null
    if (kind !== null) return kind
    await refuse('code')
    throw new RpcError('totpWrong', { data: 'code' })
  }
  if (await hasSecondFactor(services, user)) throw new RpcError('totpWrong', { data: 'code' })
  try {
    await requirePassword(services, user, proof.password)
  } catch (err) {
    await refuse('password')
    throw err
  }
  return 'password'
}
