import type { Keyring } from '@tessera/vault/keyring'
import { digestRequest, openOutcome, sealOutcome } from '@tessera/vault/outcome'

import type { Asker } from '../cards/asker.ts'
import type { Clock } from '../clock.ts'
import type { FormCardRow, FormSessionRow, Store } from '../store/store.ts'

import type { FormSessionRows, Whose } from './rows.ts'

/**
 * Sessions of the hosted page: the cardholder stands on a page of the form's own origin, and no page of the merchant's hears of the token. It waits here for the
 * merchant's server, sealed under the data key and the session's text together (security.md §3, rule 5): who has the rows and the keys, but not the session,
 * opens nothing.
 */
export interface HostedSessions {
  /** Throws `sessionUnknown`. */
  find(session: string, of: Whose): Promise<FormSessionRow>
  /** Keeps a token for `tokensOf`, for an hour after the session ends. */
  keepToken(session: string, row: FormSessionRow, made: { readonly cardId: string; readonly token: string }): Promise<void>
  /** The tokens that were made with a session and are still kept, newest first. */
  tokensOf(session: string, row: FormSessionRow): Promise<readonly string[]>
  /** Notes that the cardholder turned back; a session that is over stays as it is. */
  cancel(session: string, asker: Asker): Promise<void>
  /** Drops tokens whose hour is over; tells how many. To be called every minute or so. */
  dropPast(stopping?: AbortSignal): Promise<number>
}

export interface HostedParts {
  readonly store: Pick<Store, 'keepFormCard' | 'listFormCards' | 'dropFormCards'>
  readonly rows: FormSessionRows
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
  /** Throws for a way back that is of no origin of the merchant's today: it may have taken one back since. */
  readonly expectWayBack: (merchantId: string, origin: string, returnTo: string) => Promise<void>
}

export function makeHostedSessions(parts: HostedParts): HostedSessions {
  const { store, rows, clock } = parts
  return Object.freeze({
    async find(session: string, of: Whose) {
      const row = await rows.find(session, of)
      if (row.returnTo !== null) await parts.expectWayBack(row.merchantId, row.origin, row.returnTo)
      return row
    },
    keepToken: (session: string, row: FormSessionRow, made: { cardId: string; token: string }) => keepToken(parts, session, row, made),
    tokensOf: (session: string, row: FormSessionRow) => tokensOf(parts, session, row),
    cancel: (session: string, asker: Asker) => cancel(parts, session, asker),
    dropPast: (stopping?: AbortSignal) => store.dropFormCards(clock.now(), stopping),
  })
}

async function cancel({ rows, clock }: HostedParts, session: string, asker: Asker): Promise<void> {
  const { merchantId, requestId } = asker
  await rows.change(session, asker, ({ sessionId, endsAt, cancelledAt }) => {
    const now = clock.now()
    if (endsAt <= now || cancelledAt > 0) return null
    const deed = { actor: 'cardholder', action: 'form_session.cancelled', outcome: 'cancelled' }
    return { to: { cancelledAt: now }, audit: { ...deed, at: now, merchantId, subject: sessionId, version: 2, requestId } }
  })
}

async function keepToken(
  { store, keyring, clock, environment }: HostedParts,
  session: string,
  { bucket, sessionId, merchantId, endsAt }: FormSessionRow,
  { cardId, token }: { readonly cardId: string; readonly token: string },
): Promise<void> {
  const dek = await keyring.active('idempotency')
  const digest = digestOf(session)
  const plain = Buffer.from(token, 'latin1')
  const sealed = sealOutcome(dek, ownerOf(environment, merchantId), digest, plain)
  plain.fill(0)
  digest.fill(0)
  await store.keepFormCard({ bucket, sessionId, cardId, keyId: dek.keyId, sealed, createdAt: clock.now(), endsAt: endsAt + fetchMs })
}

async function tokensOf({ store, keyring, clock, environment }: HostedParts, session: string, row: FormSessionRow): Promise<string[]> {
  const kept = (await store.listFormCards(row)).filter(({ endsAt }) => endsAt > clock.now())
  const digest = digestOf(session)
  const open = async ({ keyId, sealed }: FormCardRow): Promise<string> => {
    const plain = openOutcome(await keyring.byId(keyId), ownerOf(environment, row.merchantId), digest, sealed)
    return Buffer.from(plain).toString('latin1')
  }
  try {
    return await Promise.all(kept.map(open))
  } finally {
    digest.fill(0)
  }
}

/** The session's text takes the place of the request that an outcome is sealed under. */
function digestOf(session: string): Uint8Array {
  return digestRequest({ key: session, profile: '', method: 'form.sessions.get', params: '', pan: null })
}

/** A class of its own: no outcome of an idempotency key opens as a token, nor the other way round. */
function ownerOf(environment: string, merchantId: string) {
  return { environment, merchantId, callerClass: 'form session' }
}

/** So long after a session ends, a server may fetch what came of it. */
const fetchMs = 3_600_000
