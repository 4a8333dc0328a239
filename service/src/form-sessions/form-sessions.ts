import { RpcError } from '@tessera/contract/errors'
import { issueToken } from '@tessera/vault/token'

import type { Asker } from '../cards/asker.ts'
import type { Clock } from '../clock.ts'
import { expectFirst, rideBoth } from '../idempotency/rider.ts'
import type { MerchantBook } from '../merchants/book.ts'
import type { AuditNote, FormSessionRow, Store } from '../store/store.ts'

import type { FormSessionRows } from './rows.ts'

/** A merchant's leave for one payer to make tokens with the hosted form (wire §5). */
export interface FormSessions {
  /** Throws `originNotRegistered` for a page that the merchant has not registered, `returnElsewhere` for a way back that is not of this origin. */
  create(asked: AskedFormSession, asker: Asker<CreatedFormSession>): Promise<CreatedFormSession>
  /**
   * Takes one attempt for a card that is about to be created. Null: none was given, and none is needed. Throws `sessionRequired`, `sessionOrigin`, `sessionUnknown`,
   * `sessionEnded`, `sessionUsedUp`.
   */
  spend(session: string | null, asker: SessionAsker): Promise<FormSessionRow | null>
}

export interface AskedFormSession {
  /** As `location.origin` tells it. */
  readonly origin: string
  readonly customer: string | null
  readonly save: 'ask' | 'off'
  readonly locale: string | null
  readonly attempts: number
  /** For the hosted page: where the cardholder goes afterwards. Null: the form stands in a page of the merchant's. */
  readonly returnTo: string | null
}

export interface CreatedFormSession {
  /** `<24 hex>_<base62>`: for the merchant's page; only its hash is kept. */
  readonly session: string
  /** Unix milliseconds. */
  readonly endsAt: number
}

export interface SessionAsker extends Pick<Asker, 'merchantId' | 'bucket'> {
  /** Whoever has shown the password needs no session. */
  readonly isServer: boolean
  /** The Origin header; null without one. */
  readonly from: string | null
  /** Of the page that the form's document was made for; null where no document of ours was named. */
  readonly formOf: string | null
}

export interface FormSessionParts {
  readonly store: Pick<Store, 'insertFormSession' | 'dropFormSessions'>
  readonly rows: FormSessionRows
  readonly merchants: Pick<MerchantBook, 'find'>
  readonly clock: Pick<Clock, 'now'>
  /** Whether pages of any origin may hold the form, or the merchants' own alone. */
  readonly isAnyOriginWelcome: boolean
  /** Whether an origin is the form's own, where the hosted page stands. */
  readonly isFormOrigin: (origin: string) => boolean
}

export function makeFormSessions(parts: FormSessionParts): FormSessions & {
  /** Drops what ended a day ago; tells how many. To be called every minute or so. */
  dropPast(stopping?: AbortSignal): Promise<number>
  /** Throws `returnElsewhere` or `originNotRegistered` for a way back that `create` would not take today. */
  expectWayBack(merchantId: string, origin: string, returnTo: string): Promise<void>
} {
  const { store, clock } = parts
  return Object.freeze({
    create: (asked: AskedFormSession, asker: Asker<CreatedFormSession>) => create(parts, asked, asker),
    spend: (session: string | null, asker: SessionAsker) => spend(parts, session, asker),
    dropPast: (stopping?: AbortSignal) => store.dropFormSessions(clock.now() - toldAsEndedMs, stopping),
    expectWayBack: (merchantId: string, origin: string, returnTo: string) => expectPlace(parts, merchantId, { origin, returnTo }),
  })
}

async function create(parts: FormSessionParts, asked: AskedFormSession, asker: Asker<CreatedFormSession>) {
  const { store, rows, clock } = parts
  const { bucket, merchantId, requestId } = asker
  await expectPlace(parts, merchantId, asked)
  const now = clock.now()
  const { cardId: sessionId, token: session, secret, hash } = issueToken(bucket, now)
  secret.fill(0)
  const { origin, customer, save, locale, attempts: attemptsLeft, returnTo } = asked
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
    endsAt: now + lifeMs,
    returnTo,
    cancelledAt: 0,
    mac: new Uint8Array(0),
  })
  const audit: AuditNote = {
    ...{ at: now, actor: 'merchant', action: 'form_session.created', merchantId, subject: sessionId, version: 1 },
    ...{ mac: row.mac, requestId, outcome: save },
  }
  const created = { session, endsAt: row.endsAt }
  expectFirst(await store.insertFormSession(row, audit, rideBoth(asker.rider, sessionId, created)))
  return created
}

async function expectPlace(
  parts: Pick<FormSessionParts, 'merchants' | 'isAnyOriginWelcome'>,
  merchantId: string,
  { origin, returnTo }: Pick<AskedFormSession, 'origin' | 'returnTo'>,
): Promise<void> {
  if (!(await isRegistered(parts, merchantId, origin))) throw new RpcError('originNotRegistered', { data: 'origin' })
  if (returnTo !== null && !isOf(origin, returnTo)) throw new RpcError('returnElsewhere', { data: 'return' })
}

async function isRegistered(
  { merchants, isAnyOriginWelcome }: Pick<FormSessionParts, 'merchants' | 'isAnyOriginWelcome'>,
  merchantId: string,
  origin: string,
): Promise<boolean> {
  return isAnyOriginWelcome || (await merchants.find(merchantId))?.settings.origins.includes(origin) === true
}

/** An address of this origin, as a browser reads it. */
function isOf(origin: string, address: string): boolean {
  if (!URL.canParse(address)) return false
  const read = new URL(address)
  return read.origin === origin && read.username === '' && read.password === ''
}

async function spend(parts: FormSessionParts, session: string | null, asker: SessionAsker) {
  if (session === null) {
    const isRequired = !asker.isServer && (await parts.merchants.find(asker.merchantId))?.settings.requireFormSessions === true
    if (isRequired) throw new RpcError('sessionRequired', { data: 'session' })
    return null
  }
  const spent = await take(parts, session, asker)
  await expectOrigin(parts, spent, asker)
  return spent
}

function take({ rows, clock }: FormSessionParts, session: string, asker: SessionAsker): Promise<FormSessionRow> {
  return rows.change(session, asker, ({ endsAt, cancelledAt, attemptsLeft }) => {
    if (endsAt <= clock.now() || cancelledAt > 0) throw new RpcError('sessionEnded', { data: 'session' })
    if (attemptsLeft <= 0) throw new RpcError('sessionUsedUp', { data: 'session' })
    return { to: { attemptsLeft: attemptsLeft - 1 }, audit: null }
  })
}

/**
 * A browser says where a request comes from: the session's own page, the hosted page where the session is for that, or a document of the form that this page alone can frame. Without an Origin header it
 * is no browser, and may say what it likes: such a caller is held to the document that it names, if it names one.
 */
async function expectOrigin(
  parts: Pick<FormSessionParts, 'merchants' | 'isAnyOriginWelcome' | 'isFormOrigin'>,
  { origin, merchantId, returnTo }: FormSessionRow,
  { from, formOf, isServer }: SessionAsker,
): Promise<void> {
  if (isServer) return
  const isOfHosted = returnTo !== null && formOf !== null && parts.isFormOrigin(formOf)
  const isThere = isOfHosted || (from === null ? formOf === null || formOf === origin : from === origin || formOf === origin)
  if (!isThere || !(await isRegistered(parts, merchantId, origin))) throw new RpcError('sessionOrigin', { data: 'session' })
}

/** Wire §5. */
const lifeMs = 15 * 60_000
/** So long a session that is over is told as such, and not as one that nobody knows. */
const toldAsEndedMs = 24 * 3_600_000
