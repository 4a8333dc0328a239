import { RpcError } from '@tessera/contract/errors'
import { readOrigin } from '@tessera/contract/origin'
import { issueToken } from '@tessera/vault/token'

import type { RequestContext } from '../request-context.ts'
import type { Clock } from '../../clock.ts'
import { requireNoConflict, completeExtras } from '../idempotency/handle.ts'
import type { MerchantCache } from '../merchants/merchant-cache.ts'
import type { AuditEntry } from '../../store/audit.ts'
import { deleteOldFormSessions, type FormSessionRow, insertFormSession } from '../../store/form-sessions.ts'
import { deleteInPages, type Store } from '../../store/store.ts'

import type { FormSessionRows } from './rows.ts'

/** Sessions in which one payer may create tokens with the hosted form (docs/reference/wire.md#form-sessions). */
export interface FormSessions {
  /** Throws `originNotRegistered` for an unregistered origin, `returnElsewhere` for a return address of another origin. */
  create(input: NewFormSessionInput, ctx: RequestContext<CreatedFormSession>): Promise<CreatedFormSession>
  /**
   * Uses one attempt for a card that is about to be created. Null: no session was given and none is required. Throws `sessionRequired`,
   * `sessionOrigin`, `sessionUnknown`, `sessionEnded`, `sessionDone`, `sessionUsedUp`.
   */
  useAttempt(session: string | null, ctx: FormSessionCaller): Promise<FormSessionRow | null>
  /** Throws `sessionOrigin` for a request from a page that the session is not for. */
  requirePage(session: FormSessionRow, ctx: FormSessionCaller): Promise<void>
}

export interface NewFormSessionInput {
  /** In the form of `location.origin`. */
  readonly origin: string
  readonly customer: string | null
  readonly save: 'ask' | 'off'
  readonly locale: string | null
  readonly attempts: number
  /** For the hosted page: where the cardholder is sent afterwards. Null: the form is embedded in the merchant's page. */
  readonly returnTo: string | null
  /** Shown to the payer; null: nothing is shown. */
  readonly amountTiyin: number | null
  readonly order: string | null
  /** Ids of saved cards to choose from. */
  readonly cards: readonly string[]
}

export interface CreatedFormSession {
  /** `<24 hex>_<base62>`, for the merchant's page. Only its hash is stored. */
  readonly session: string
  /** Unix milliseconds. */
  readonly endsAt: number
}

export interface FormSessionCaller extends Pick<RequestContext, 'merchantId' | 'bucket' | 'actor' | 'requestId' | 'address'> {
  /** A caller authenticated by password needs no session. */
  readonly isServer: boolean
  /** The Origin header; null when absent. */
  readonly from: string | null
  /** The origin the form document was issued for; null when the request names no valid document. */
  readonly formOrigin: string | null
}

export interface FormSessionDependencies {
  readonly store: Pick<Store, 'write'>
  readonly rows: FormSessionRows
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly clock: Pick<Clock, 'now'>
  /** Whether pages of any origin may embed the form, or only registered origins. */
  readonly isAnyOriginAllowed: boolean
  /** Whether an origin is the form's own, which serves the hosted page. */
  readonly isFormOrigin: (origin: string) => boolean
}

export function makeFormSessions(deps: FormSessionDependencies): FormSessions & {
  /** Deletes sessions that ended a day ago; returns how many. Call it about once a minute. */
  deleteOld(stopping?: AbortSignal): Promise<number>
  /** Throws `returnElsewhere` or `originNotRegistered` for a return address that `create` would refuse now. */
  requireReturnOrigin(merchantId: string, origin: string, returnTo: string): Promise<void>
} {
  const { store, clock } = deps
  return Object.freeze({
    create: (input: NewFormSessionInput, ctx: RequestContext<CreatedFormSession>) => create(deps, input, ctx),
    useAttempt: (session: string | null, ctx: FormSessionCaller) => useAttempt(deps, session, ctx),
    requirePage: (session: FormSessionRow, ctx: FormSessionCaller) => requireSessionOrigin(deps, session, ctx),
    deleteOld: (stopping?: AbortSignal) => deleteInPages(store, deleteOldFormSessions, clock.now() - formSessionRetentionMs, stopping),
    requireReturnOrigin: (merchantId: string, origin: string, returnTo: string) => requireOrigin(deps, merchantId, { origin, returnTo }),
  })
}

async function create(deps: FormSessionDependencies, input: NewFormSessionInput, ctx: RequestContext<CreatedFormSession>) {
  const { store, rows, clock } = deps
  const { bucket, merchantId, requestId, address } = ctx
  await requireOrigin(deps, merchantId, input)
  const now = clock.now()
  const { cardId: sessionId, token: session, secret, hash } = issueToken(bucket, now)
  secret.fill(0)
  const { origin, customer, save, locale, attempts: attemptsLeft, returnTo, amountTiyin, order, cards } = input
  const row = await rows.seal({
    bucket,
    sessionId,
    merchantId,
    hash,
    origin,
    customer,
    save,
    locale,
    attemptsLeft,
    createdAt: now,
    endsAt: now + lifetimeMs,
    returnTo,
    cancelledAt: 0,
    version: 1,
    amountTiyin: amountTiyin ?? 0,
    orderText: order ?? '',
    cards: cards.join(' '),
    picked: '',
    removals: '',
    mac: new Uint8Array(0),
  })
  const audit: AuditEntry = {
    at: now,
    actor: 'merchant',
    action: 'form_session.created',
    merchantId,
    subject: sessionId,
    version: row.version,
    mac: row.mac,
    requestId,
    address,
    outcome: save,
  }
  const created = { session, endsAt: row.endsAt }
  requireNoConflict(await store.write(insertFormSession, { session: row, audit, ...completeExtras(ctx.idempotency, sessionId, created) }))
  return created
}

async function requireOrigin(
  deps: Pick<FormSessionDependencies, 'merchants' | 'isAnyOriginAllowed'>,
  merchantId: string,
  { origin, returnTo }: Pick<NewFormSessionInput, 'origin' | 'returnTo'>,
): Promise<void> {
  // The schema allows what no browser sends, such as a default port: a form of such a session would never open.
  if (readOrigin(origin) === null) throw new RpcError('memberInvalid', { data: 'origin' })
  if (!(await isRegistered(deps, merchantId, origin))) throw new RpcError('originNotRegistered', { data: 'origin' })
  if (returnTo !== null && !hasOrigin(origin, returnTo)) throw new RpcError('returnElsewhere', { data: 'return' })
}

async function isRegistered(
  { merchants, isAnyOriginAllowed }: Pick<FormSessionDependencies, 'merchants' | 'isAnyOriginAllowed'>,
  merchantId: string,
  origin: string,
): Promise<boolean> {
  return isAnyOriginAllowed || (await merchants.find(merchantId))?.settings.origins.includes(origin) === true
}

/** Whether an address has this origin and no credentials, parsed as browsers do. */
function hasOrigin(origin: string, address: string): boolean {
  if (!URL.canParse(address)) return false
  const read = new URL(address)
  return read.origin === origin && read.username === '' && read.password === ''
}

async function useAttempt(deps: FormSessionDependencies, session: string | null, ctx: FormSessionCaller) {
  if (session === null) {
    const isRequired = !ctx.isServer && (await deps.merchants.find(ctx.merchantId))?.settings.requireFormSessions === true
    if (isRequired) throw new RpcError('sessionRequired', { data: 'session' })
    return null
  }
  const used = await takeAttempt(deps, session, ctx)
  await requireSessionOrigin(deps, used, ctx)
  return used
}

function takeAttempt({ rows, clock }: FormSessionDependencies, session: string, ctx: FormSessionCaller): Promise<FormSessionRow> {
  return rows.change(session, ctx, ({ endsAt, cancelledAt, attemptsLeft, picked }) => {
    const at = clock.now()
    if (endsAt <= at || cancelledAt > 0) throw new RpcError('sessionEnded', { data: 'session' })
    if (picked !== '') throw new RpcError('sessionDone', { data: 'session' })
    if (attemptsLeft <= 0) throw new RpcError('sessionUsedUp', { data: 'session' })
    const { actor, requestId, address } = ctx
    const audit = { at, actor, requestId, address, action: 'form_session.attempted', outcome: 'done' }
    return { to: { attemptsLeft: attemptsLeft - 1 }, audit }
  })
}

/**
 * Checks where a browser request comes from: the session's own page, the hosted page if the session is for it, or a form document that only
 * the session's page can frame. A request without an Origin header is not from a browser; then only the named document, if any, is checked.
 */
async function requireSessionOrigin(
  deps: Pick<FormSessionDependencies, 'merchants' | 'isAnyOriginAllowed' | 'isFormOrigin'>,
  { origin, merchantId, returnTo }: FormSessionRow,
  { from, formOrigin, isServer }: FormSessionCaller,
): Promise<void> {
  if (isServer) return
  const isFromHostedPage = returnTo !== null && formOrigin !== null && deps.isFormOrigin(formOrigin)
  const isExpectedOrigin =
    isFromHostedPage || (from === null ? formOrigin === null || formOrigin === origin : from === origin || formOrigin === origin)
  if (!isExpectedOrigin || !(await isRegistered(deps, merchantId, origin))) throw new RpcError('sessionOrigin', { data: 'session' })
}

/** docs/reference/wire.md#form-sessions. */
const lifetimeMs = 15 * 60_000
/** How long an ended session is reported as ended; after that it is unknown. */
export const formSessionRetentionMs = 24 * 3_600_000
