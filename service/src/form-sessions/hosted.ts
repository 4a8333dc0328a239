import { RpcError } from '@tessera/contract/errors'
import type { Keyring } from '@tessera/vault/keyring'
import { digestRequest, openOutcome, sealOutcome } from '@tessera/vault/outcome'
import { readToken } from '@tessera/vault/token'

import type { Asker } from '../cards/asker.ts'
import type { Clock } from '../clock.ts'
import type { AuditNote, FormCardRow, FormSessionKey, FormSessionRow, Store } from '../store/store.ts'

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

export type Whose = Pick<Asker, 'merchantId' | 'bucket'>

export interface HostedParts {
  readonly store: Pick<Store, 'findFormSession' | 'cancelFormSession' | 'keepFormCard' | 'listFormCards' | 'dropFormCards'>
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
  /** Throws for a way back that is of no origin of the merchant's: the row has no MAC, and whoever writes the database sends nobody elsewhere. */
  readonly expectWayBack: (merchantId: string, origin: string, returnTo: string) => Promise<void>
}

export function makeHostedSessions(parts: HostedParts): HostedSessions {
  const { store, clock } = parts
  return Object.freeze({
    async find(session: string, of: Whose) {
      const key = keyOf(session, of)
      const row = key === null ? null : await store.findFormSession(key)
      if (row === null) throw new RpcError('sessionUnknown', { data: 'session' })
      if (row.returnTo !== null) await parts.expectWayBack(row.merchantId, row.origin, row.returnTo)
      return row
    },
    keepToken: (session: string, row: FormSessionRow, made: { cardId: string; token: string }) => keepToken(parts, session, row, made),
    tokensOf: (session: string, row: FormSessionRow) => tokensOf(parts, session, row),
    async cancel(session: string, asker: Asker) {
      const key = keyOf(session, asker)
      if (key === null) throw new RpcError('sessionUnknown', { data: 'session' })
      const now = clock.now()
      const { merchantId, requestId } = asker
      const audit: AuditNote = {
        ...{ at: now, actor: 'cardholder', action: 'form_session.cancelled', merchantId, subject: key.sessionId, version: 1 },
        ...{ mac: new Uint8Array(0), requestId, outcome: 'cancelled' },
      }
      await store.cancelFormSession(key, now, audit)
    },
    dropPast: (stopping?: AbortSignal) => store.dropFormCards(clock.now(), stopping),
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

function keyOf(session: string, { bucket, merchantId }: Whose): FormSessionKey | null {
  const read = readToken(session)
  if (read === null) return null
  read.secret?.fill(0)
  return { bucket, merchantId, sessionId: read.cardId, hash: read.hash }
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
