import type { Keyring } from '@tessera/vault/keyring'
import { digestRequest, openOutcome, sealOutcome } from '@tessera/vault/outcome'

import type { RequestContext } from '../request-context.ts'
import type { Clock } from '../../clock.ts'
import { deleteOldFormCards, type FormCardRow, type FormSessionRow, insertFormCard, listFormCards } from '../../store/form-sessions.ts'
import { deleteInPages, type Store } from '../../store/store.ts'

import type { FormSessionRows, FormSessionOwner } from './rows.ts'

/**
 * Sessions of the hosted page. The cardholder uses a page of the form's own origin, and the merchant's pages never see the token. The token is
 * stored for the merchant's server, sealed under the data key and the session text together (docs/reference/security-rules.md#rule-5): the rows
 * and the keys do not open it without the session.
 */
export interface HostedSessions {
  /** Throws `sessionUnknown`. */
  find(session: string, of: FormSessionOwner): Promise<FormSessionRow>
  /** Stores a token for `tokensOf` until an hour after the session ends. */
  storeToken(session: string, row: FormSessionRow, made: { readonly cardId: string; readonly token: string }): Promise<void>
  /** The stored tokens created in a session, newest first. */
  tokensOf(session: string, row: FormSessionRow): Promise<readonly string[]>
  /** Records that the cardholder cancelled. An ended session stays unchanged. */
  cancel(session: string, ctx: RequestContext): Promise<void>
  /** Deletes expired tokens; returns how many. Call it about once a minute. */
  deleteOld(stopping?: AbortSignal): Promise<number>
}

export interface HostedSessionDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly rows: FormSessionRows
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
  /** Throws when the return address is no longer of a registered origin of the merchant. */
  readonly requireReturnOrigin: (merchantId: string, origin: string, returnTo: string) => Promise<void>
}

export function makeHostedSessions(deps: HostedSessionDependencies): HostedSessions {
  const { store, rows, clock } = deps
  return Object.freeze({
    async find(session: string, of: FormSessionOwner) {
      const row = await rows.find(session, of)
      if (row.returnTo !== null) await deps.requireReturnOrigin(row.merchantId, row.origin, row.returnTo)
      return row
    },
    storeToken: (session: string, row: FormSessionRow, made: { cardId: string; token: string }) => storeToken(deps, session, row, made),
    tokensOf: (session: string, row: FormSessionRow) => tokensOf(deps, session, row),
    cancel: (session: string, ctx: RequestContext) => cancel(deps, session, ctx),
    deleteOld: (stopping?: AbortSignal) => deleteInPages(store, deleteOldFormCards, clock.now(), stopping),
  })
}

async function cancel({ rows, clock }: HostedSessionDependencies, session: string, ctx: RequestContext): Promise<void> {
  const { requestId, address } = ctx
  await rows.change(session, ctx, ({ endsAt, cancelledAt }) => {
    const now = clock.now()
    if (endsAt <= now || cancelledAt > 0) return null
    const action = { actor: 'cardholder', action: 'form_session.cancelled', outcome: 'cancelled' }
    return { to: { cancelledAt: now }, audit: { ...action, at: now, requestId, address } }
  })
}

async function storeToken(
  { store, keyring, clock, environment }: HostedSessionDependencies,
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
  await store.write(insertFormCard, {
    bucket,
    sessionId,
    cardId,
    keyId: dek.keyId,
    sealed,
    createdAt: clock.now(),
    endsAt: endsAt + retentionMs,
  })
}

async function tokensOf(
  { store, keyring, clock, environment }: HostedSessionDependencies,
  session: string,
  row: FormSessionRow,
): Promise<string[]> {
  const stored = (await store.read(listFormCards(row))).filter(({ endsAt }) => endsAt > clock.now())
  const digest = digestOf(session)
  const open = async ({ keyId, sealed }: FormCardRow): Promise<string> => {
    const plain = openOutcome(await keyring.byId(keyId), ownerOf(environment, row.merchantId), digest, sealed)
    return Buffer.from(plain).toString('latin1')
  }
  try {
    return await Promise.all(stored.map(open))
  } finally {
    digest.fill(0)
  }
}

/** The session text takes the place of the request digest that an outcome is sealed under. */
function digestOf(session: string): Uint8Array {
  return digestRequest({ key: session, profile: '', method: 'form.sessions.get', params: '', pan: null })
}

/** A separate caller class: an idempotency outcome never opens as a token, nor the reverse. */
function ownerOf(environment: string, merchantId: string) {
  return { environment, merchantId, callerClass: 'form session' }
}

/** How long after its end a session's result can be fetched. */
const retentionMs = 3_600_000
