import { RpcError } from '@tessera/contract/errors'
import type { ProofChallenge, ProofOfWork } from '@tessera/contract/proof-of-work'

import { insertAuditEntry } from '../../store/audit.ts'
import {
  claimSignInAttempt,
  type DashboardUserRow,
  findDashboardUser,
  findDashboardUserByPhone,
  resetSignInAttempts,
} from '../../store/dashboard-users.ts'
import { blockOf, subscriberOf } from '../limits/address.ts'

import { sessionAuditEntry, signedInPlace, verifiedUserRow, type DashboardServices, type SignInOutcome } from './dependencies.ts'
import { isDeviceCookie, type KnownDevice } from './known-devices.ts'
import { hasSecondFactor, listOwnPasskeys, type PasskeyAssertion, type PasskeyRequest, requestPasskey, verifyPasskey } from './passkeys.ts'
import { confirmSecondFactor, readDecoyCodes } from './second-factor.ts'
import type { SessionOrigin, SignInMethod } from './sessions.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'
import type { QueuePlace } from './sign-in-queue.ts'

export interface SignInAttempt extends SessionOrigin {
  readonly phone: string
  readonly password: string
  /** The code of the authenticator or a recovery code; null when not given. */
  readonly code: string | null
  /** A passkey as the second factor; null when not given. */
  readonly passkey: PasskeyAssertion | null
  /** The dashboard's origin. */
  readonly origin: string
  /** The cookie of a known device; null without one. */
  readonly device: string | null
  /** The answer to the last challenge; null without one. */
  readonly proof: ProofOfWork | null
  /** Aborted when the caller has gone away. */
  readonly signal?: AbortSignal | undefined
}

export interface PasskeySignInAttempt extends SessionOrigin {
  readonly passkey: PasskeyAssertion
  readonly code: string | null
  /** Beside a synced passkey, in place of a code. */
  readonly password: string | null
  readonly origin: string
  readonly device: string | null
}

/** The password, or a synced passkey, was right; the second factor comes next. */
export interface SecondFactorRequest {
  readonly needs: 'totp' | 'passkey' | 'password'
  /** For users with passkeys. */
  readonly passkey: PasskeyRequest | null
}

/** A user who proved who they are. */
export interface AuthenticatedUser {
  readonly user: DashboardUserRow
  readonly method: SignInMethod
  /** Null: the device was not known. */
  readonly device: KnownDevice | null
}

/** More is needed. A proof of work comes before anything is evaluated. */
export type SignInRequest = SecondFactorRequest | { readonly needs: 'proof'; readonly passkey: null; readonly proof: ProofChallenge }

/**
 * Authenticates a user. Unknown phone, wrong password, wrong code and blocked user throw `signInRefused` after the same work; a login that is locked
 * throws `signInLocked`, and so does a phone without a login after as many attempts (docs/decisions/0039-sign-in-flood.md).
 *
 * An attempt is counted before it is evaluated, so that parallel attempts cannot exceed the limit.
 */
export function signIn(services: DashboardServices, attempt: SignInAttempt): Promise<AuthenticatedUser | SignInRequest> {
  return observed(services, () => signInOnce(services, attempt))
}

/** Reports the outcome. */
async function observed<T extends AuthenticatedUser | SignInRequest>({ onSignIn }: DashboardServices, run: () => Promise<T>): Promise<T> {
  try {
    const result = await run()
    onSignIn('needs' in result ? `${result.needs}_asked` : 'signed_in')
    return result
  } catch (err) {
    const outcome = err instanceof RpcError ? outcomes.get(err.entry) : undefined
    if (outcome !== undefined) onSignIn(outcome)
    throw err
  }
}

const outcomes: ReadonlyMap<string, SignInOutcome> = new Map([
  ['signInRefused', 'refused'],
  ['signInLocked', 'locked'],
  ['overloaded', 'overloaded'],
])

async function signInOnce(services: DashboardServices, attempt: SignInAttempt): Promise<AuthenticatedUser | SignInRequest> {
  const { passwords, attempts } = services
  const { password, code } = attempt
  const strange = await placeOf(services, attempt)
  // In a flood most attempts end here, before anything is read.
  const proof = isDeviceCookie(attempt.device) ? null : await challengeUnlessProven(services, attempt, strange)
  if (proof !== null) return { needs: 'proof', passkey: null, proof }
  const checked = await identify(services, attempt, strange)
  const laterProof = isDeviceCookie(attempt.device) ? await challengeUnlessProven(services, attempt, checked.place) : null
  if (laterProof !== null) return { needs: 'proof', passkey: null, proof: laterProof }
  if (checked.lockedUntil > 0 && code === null) throw lockedError(services, checked)

  // A locked login is evaluated with a code only, and attempts with one cannot extend the lock.
  const begin = (): Promise<boolean> =>
    checked.lockedUntil > 0
      ? countWhileLocked(services, checked)
      : attempts.count(checked.countedUnder, { version: checked.user?.version ?? 0 })
  const isPasswordRight = await passwords.isRight(password, checked.user?.verifier ?? null, checked.place, begin)
  if (isPasswordRight === 'notEvaluated') throw lockedError(services, checked)
  const user = await readAgain(services, checked.user)
  // A new password, a block or a sign-out everywhere, while the attempt waited in line, holds for it too.
  if (isPasswordRight && checked.user !== null && user?.version !== checked.user.version)
    return refuseAttempt(services, attempt, checked.user, 'changed')
  return decide(services, attempt, { ...checked, user }, isPasswordRight)
}

/** Who signs in, as far as it is known before the password is evaluated. */
interface CheckedAttempt {
  /** Null: no login has this phone. */
  readonly user: DashboardUserRow | null
  /** Null: unknown, or locked itself after too many attempts. */
  readonly device: KnownDevice | null
  readonly phoneSubject: string
  /** What a failure is counted under. */
  readonly countedUnder: string
  /** Of the phone, for unknown devices; 0 when it is not locked. */
  readonly lockedUntil: number
  readonly place: QueuePlace
}

/** The place of an unknown device. */
async function placeOf({ attempts }: DashboardServices, { phone, address, signal }: SignInAttempt): Promise<QueuePlace> {
  const login = await attempts.subjectOf('phone', phone)
  return { lane: 'unknown', address: subscriberOf(address), block: blockOf(address), login, signal }
}

async function identify(
  services: DashboardServices,
  { phone, device: cookie }: SignInAttempt,
  strange: QueuePlace,
): Promise<CheckedAttempt> {
  const { attempts, devices } = services
  const user = await findLogin(services, phone)
  const phoneSubject = strange.login
  const found = await devices.find(cookie, user)
  const deviceSubject = found === null ? null : await attempts.subjectOf('device', found.deviceId)
  const isKnown = deviceSubject !== null && (await attempts.lockedUntil(deviceSubject, user?.version)) === 0
  if (isKnown) {
    return { user, device: found, phoneSubject, countedUnder: deviceSubject, lockedUntil: 0, place: { ...strange, lane: 'known' } }
  }
  const lockedUntil = await attempts.lockedUntil(phoneSubject, user?.version)
  return { user, device: null, phoneSubject, countedUnder: phoneSubject, lockedUntil, place: strange }
}

/** The login of a phone. A row is read and its MAC compared either way: for a phone without a login, that of another user, which is then ignored. */
async function findLogin(services: DashboardServices, phone: string): Promise<DashboardUserRow | null> {
  const { store, decoyUserId } = services
  const decoyId = await decoyUserId()
  const found = await store.read(findDashboardUserByPhone(phone))
  const decoy = await store.read(findDashboardUser(found === null ? decoyId : ''))
  const user = await verifiedUserRow(services, found ?? decoy)
  return found === null ? null : user
}

/** The user as it is after the wait in the line, by the same work for a phone without a login. */
async function readAgain(services: DashboardServices, user: DashboardUserRow | null): Promise<DashboardUserRow | null> {
  const userId = user === null ? await services.decoyUserId() : user.userId
  const found = await verifiedUserRow(services, await services.store.read(findDashboardUser(userId)))
  return user === null ? null : found
}

/** Counts an attempt at a locked login by its address, so that guesses from there end, and the owner's from elsewhere do not. */
async function countWhileLocked({ attempts }: DashboardServices, { place, user }: CheckedAttempt): Promise<boolean> {
  const version = user?.version ?? 0
  const [address, block] = await lockedSubjects(attempts, place)
  return (await attempts.count(address, { version })) && (await attempts.count(block, { version, max: lockedBlockMax }))
}

async function lockedSubjects(attempts: SignInAttempts, { login, address, block }: QueuePlace): Promise<readonly [string, string]> {
  return [await attempts.subjectOf('locked', `${login} address ${address}`), await attempts.subjectOf('locked', `${login} block ${block}`)]
}

/** Null when the attempt may go on: nobody waits, the device is known, or the proof is right. */
async function challengeUnlessProven(
  { queue, challenges, settings }: DashboardServices,
  { proof }: SignInAttempt,
  place: QueuePlace,
): Promise<ProofChallenge | null> {
  if (place.lane === 'known' || !queue.isLoaded()) return null
  if (proof !== null && (await challenges.accept(place, proof))) return null
  // More for those who wait in a long line, and for addresses that had turns lately.
  const bits = settings.proofBitsMin + Math.log2(1 + queue.waitingCount() / 8) + Math.log2(1 + queue.recentTurns(place))
  return challenges.issue(place, Math.min(Math.floor(bits), settings.proofBitsMax))
}

/** With a locked phone only a second factor confirms who it is, so that it opens the login; the reply does not say which of the two was wrong. */
async function decide(
  services: DashboardServices,
  attempt: SignInAttempt,
  checked: CheckedAttempt,
  isPasswordRight: boolean,
): Promise<AuthenticatedUser | SecondFactorRequest> {
  const { attempts, store } = services
  const { user, device, phoneSubject, countedUnder } = checked
  const { code, passkey } = attempt
  const isLocked = checked.lockedUntil > 0
  if (user === null || !isPasswordRight || user.state === 'blocked') {
    if (isLocked) await doWorkOfCode(services, attempt)
    return refuseAttempt(services, attempt, user, user === null ? 'phone_unknown' : isPasswordRight ? 'blocked' : 'password')
  }
  let method: SignInMethod = 'password'
  if (isLocked || (await hasSecondFactor(services, user))) {
    if (code === null && passkey === null) {
      await attempts.uncount(countedUnder)
      return needSecondFactor(services, user, attempt.origin)
    }
    // It counts the codes that come with the right password, so strangers cannot use its attempts up.
    const proven = await proveSecondFactor(services, user, attempt)
    if (proven === null) return refuseAttempt(services, attempt, user, code === null ? 'passkey' : 'code')
    method = proven
  }
  await attempts.reset([phoneSubject, countedUnder, ...(isLocked ? await lockedSubjects(attempts, checked.place) : [])])
  await store.write(resetSignInAttempts, { userId: user.userId })
  return { user, method, device }
}

/** The reads and writes of a wrong code, for a wrong password, so that the time does not tell a right one. */
async function doWorkOfCode(services: DashboardServices, { phone, code }: SignInAttempt): Promise<void> {
  const { attempts } = services
  await attempts.countDecoy(await attempts.subjectOf('decoy', phone))
  if (code !== null) await readDecoyCodes(services, code)
}

async function needSecondFactor(services: DashboardServices, user: DashboardUserRow, origin: string): Promise<SecondFactorRequest> {
  const passkeys = await listOwnPasskeys(services, user)
  const request = { purpose: 'second_factor', subject: user.userId, origin } as const
  const passkey = passkeys.length === 0 ? null : await requestPasskey(services, request, passkeys)
  return { needs: user.totp === null ? 'passkey' : 'totp', passkey }
}

async function proveSecondFactor(
  services: DashboardServices,
  user: DashboardUserRow,
  attempt: SignInAttempt,
): Promise<SignInMethod | null> {
  const { code, passkey, origin, requestId, address } = attempt
  if (code !== null) return confirmSecondFactor(services, user, code, { actor: `user:${user.userId}`, requestId, address })
  if (passkey === null) return null
  const verified = await verifyPasskey(services, passkey, { purpose: 'second_factor', subject: user.userId, origin })
  return verified?.userId === user.userId && (await verified.accept()) ? verified.method : null
}

/**
 * Authenticates a user by a passkey alone: possession of the device, and its PIN or biometrics. A synced passkey may be on other devices too, so it counts
 * as one factor, and where the merchant requires a second one a code or the password is asked for (PCI DSS 8.4.1, 8.4.3; docs/concepts/dashboard-sign-in.md). Wrong passwords
 * do not lock it, and it opens a phone that they have locked.
 */
export function signInByPasskey(
  services: DashboardServices,
  attempt: PasskeySignInAttempt,
): Promise<AuthenticatedUser | SecondFactorRequest> {
  return observed(services, () => signInByPasskeyOnce(services, attempt))
}

async function signInByPasskeyOnce(
  services: DashboardServices,
  attempt: PasskeySignInAttempt,
): Promise<AuthenticatedUser | SecondFactorRequest> {
  const { store, attempts, devices, requiresSecondFactor } = services
  const { passkey, origin, code, password } = attempt
  const verified = await verifyPasskey(services, passkey, { purpose: 'sign_in', subject: '', origin })
  const user = verified === null ? null : await verifiedUserRow(services, await store.read(findDashboardUser(verified.userId)))
  if (verified === null || user === null) throw new RpcError('signInRefused')
  const refuse = (outcome: string): Promise<never> => refuseAttempt(services, attempt, user, outcome)
  if (user.state === 'blocked') return refuse('blocked')
  if (verified.method === 'synced_passkey' && (await requiresSecondFactor(user.merchantId))) {
    if (code === null && password === null) return { needs: user.totp === null ? 'password' : 'totp', passkey: null }
    if (!(await isFactorRight(services, user, attempt))) return refuse(code === null ? 'password' : 'code')
  }
  if (!(await verified.accept())) return refuse('passkey')
  await attempts.reset([await attempts.subjectOf('phone', user.phone)])
  await store.write(resetSignInAttempts, { userId: user.userId })
  return { user, method: verified.method, device: await devices.find(attempt.device, user) }
}

/** The factor beside a synced passkey. Its passwords are counted for the user, apart from those of strangers: they come after the passkey. */
async function isFactorRight(services: DashboardServices, user: DashboardUserRow, attempt: PasskeySignInAttempt): Promise<boolean> {
  const { code, password, requestId, address } = attempt
  if (code !== null) return (await confirmSecondFactor(services, user, code, { actor: `user:${user.userId}`, requestId, address })) !== null
  return password !== null && isOwnPassword(services, user, password)
}

/** Recorded for a phone without a login too, so that it takes as long. */
export async function refuseAttempt(
  { store, clock }: DashboardServices,
  { requestId, address }: SessionOrigin,
  user: DashboardUserRow | null,
  outcome: string,
): Promise<never> {
  const entry = { at: clock.now(), action: 'dashboard.sign_in_refused', outcome }
  const actor = { actor: 'visitor', requestId, address }
  const audit =
    user === null
      ? { ...entry, ...actor, merchantId: '', subject: '', version: 0, mac: new Uint8Array(0) }
      : sessionAuditEntry(user, actor, entry)
  await store.write(insertAuditEntry, { audit })
  throw new RpcError('signInRefused')
}

function lockedError({ clock, settings }: DashboardServices, { lockedUntil }: CheckedAttempt): RpcError {
  return new RpcError('signInLocked', { retryAfterMs: lockedUntil === 0 ? settings.lockMs : lockedUntil - clock.now() })
}

/** Counts one attempt of a signed-in user to give the password again; false while these are locked. */
export function countSignInAttempt({ store, clock, settings }: DashboardServices, { userId }: DashboardUserRow): Promise<boolean> {
  return store.write(claimSignInAttempt, { userId, now: clock.now(), maxAttempts: settings.maxAttempts, lockMs: settings.lockMs })
}

async function isOwnPassword(services: DashboardServices, user: DashboardUserRow, password: string): Promise<boolean> {
  const isOpen = await countSignInAttempt(services, user)
  return (await services.passwords.isRight(password, isOpen ? user.verifier : null, signedInPlace(user.userId))) === true
}

/** Checks the user's own password before a change. Wrong ones are counted for the user, apart from those of sign-ins. */
export async function requirePassword(services: DashboardServices, user: DashboardUserRow, password: string): Promise<void> {
  if (!(await isOwnPassword(services, user, password))) throw new RpcError('passwordWrong', { data: 'password' })
  await services.store.write(resetSignInAttempts, { userId: user.userId })
}

/** Of one login, from all addresses of a block. */
const lockedBlockMax = 40
