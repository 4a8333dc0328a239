import { isExpiryFault, readExpiry, readPan, type Expiry, type Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { CardRoute, FindRoute } from '@tessera/contract/route'
import { sealPan } from '@tessera/vault/seal'
import { issueToken } from '@tessera/vault/token'

import { requireNoConflict, completeExtras } from '../idempotency/handle.ts'
import { type CardRow, insertCard } from '../../store/cards.ts'

import type { RequestContext } from '../request-context.ts'
import { unverifiedEndsAt } from './lifecycle.ts'
import { cardChangeEntry } from './audit-entries.ts'
import { callCardNetwork, refusalError } from './network-call.ts'
import type { CardServices } from './services.ts'

/** The input of cards.create. */
export interface NewCardInput {
  /** ASCII bytes of the card number; the caller wipes them. */
  readonly number: Uint8Array
  readonly expire: string
  /** Whether the cardholder agreed that the card is stored. */
  readonly save: boolean
  readonly customer: string | null
  readonly account: object | null
  readonly consent: object | null
  /** Counts the PAN against its limits, before anything is stored; throws when there are too many. */
  readonly count: (pan: Pan) => Promise<void>
  /** Uses up one attempt of the form session. Throws when a session is required and missing. Null: created without a session. */
  readonly admit: () => Promise<CardAdmission | null>
}

/** What a form session prescribes; it overrides what the page sent. */
export interface CardAdmission {
  readonly sessionId: string
  readonly customer: string | null
  readonly save: 'ask' | 'off'
  /** Stores the token for the merchant's server, before the card exists. Absent where the page gets the token. */
  readonly keepToken?: (cardId: string, token: string) => Promise<void>
}

export interface CreatedCard {
  readonly card: CardRow
  /** Returned to the merchant once; the service cannot show it again. */
  readonly token: string
}

/** Seals a card under a new token. The same PAN again gives a new, unverified token: cards are never looked up by PAN. */
export async function createCard(services: CardServices, input: NewCardInput, ctx: RequestContext<CreatedCard>): Promise<CreatedCard> {
  const pan = readNumber(input.number)
  try {
    const read = readRest(services, pan, input.expire)
    await input.count(pan)
    const session = await input.admit()
    await admit(services, pan, read.expiry, ctx)
    return await keep(services, { ...read, pan, session, input: underSession(input, session) }, ctx)
  } finally {
    pan.wipe()
  }
}

/** Throws what is wrong with the number or the expiry. Stores neither. */
export function validateCard(services: CardServices, number: Uint8Array, expire: string): void {
  const pan = readNumber(number)
  try {
    readRest(services, pan, expire)
  } finally {
    pan.wipe()
  }
}

/** The session's customer wins over the page's, and `save` is refused when the session does not offer it. */
function underSession(input: NewCardInput, session: CardAdmission | null): NewCardInput {
  if (session === null) return input
  if (session.save === 'off' && input.save) throw new RpcError('memberInvalid', { data: 'save' })
  return { ...input, customer: session.customer ?? input.customer }
}

function readRest({ findRoute, clock }: CardServices, pan: Pan, expire: string): { route: CardRoute; expiry: Expiry } {
  return { route: routeOf(findRoute, pan), expiry: readLastMonth(expire, clock.now()) }
}

function readNumber(bytes: Uint8Array): Pan {
  const pan = readPan(bytes)
  if (typeof pan === 'string') throw new RpcError(pan, { data: 'card.number' })
  return pan
}

/** Routing needs the first six digits only, and the mask shows them, so the rest is not revealed. */
function routeOf(findRoute: FindRoute, pan: Pan): CardRoute {
  const route = findRoute(Buffer.from(pan.masked.slice(0, 6), 'latin1'))
  if (route === null) throw new RpcError('cardNumberNoRoute', { data: 'card.number' })
  return route
}

function readLastMonth(text: string, now: number): Expiry {
  const expiry = readExpiry(text, now)
  if (isExpiryFault(expiry)) throw new RpcError(expiry, { data: 'card.expire' })
  return expiry
}

async function admit({ network, clock, settings }: CardServices, pan: Pan, expiry: Expiry, ctx: RequestContext): Promise<void> {
  const timeout = { clock, timeoutMs: settings.networkTimeoutMs, signal: ctx.signal }
  const refusal = await callCardNetwork(timeout, (signal) => network.admit({ merchantId: ctx.merchantId, pan, expiry }, signal))
  if (refusal !== null) throw refusalError(refusal, ctx.requestId)
}

interface ReadCard {
  readonly pan: Pan
  readonly route: CardRoute
  readonly expiry: Expiry
  readonly input: NewCardInput
  readonly session: CardAdmission | null
}

async function keep(
  services: CardServices,
  { pan, route, expiry, input, session }: ReadCard,
  ctx: RequestContext<CreatedCard>,
): Promise<CreatedCard> {
  const { store, keyring, mac, clock, environment, settings } = services
  const { merchantId, bucket } = ctx
  const now = clock.now()
  const dek = await keyring.active('card', merchantId)
  const { cardId, token, secret, hash } = issueToken(bucket, now)
  const blob = sealPan(pan, secret, dek, { environment, merchantId, cardId })
  secret.fill(0)
  const card = await mac.seal({
    bucket,
    merchantId,
    cardId,
    version: 1,
    tokenHash: hash,
    keyId: dek.keyId,
    blob,
    mac: noMac,
    maskedPan: pan.masked,
    type: route.type,
    expiry,
    recurrent: input.save,
    verified: false,
    state: 'live',
    customer: input.customer,
    account: asJson(input.account),
    consent: asJson(consentOf(input)),
    createdAt: now,
    verifiedAt: null,
    endsAt: unverifiedEndsAt(settings, now),
    endedAt: null,
  })
  const audit = cardChangeEntry(ctx, card, { at: now, action: 'card.created', outcome: input.save ? 'saved' : 'one_time' })
  const created = { card, token }
  await session?.keepToken?.(cardId, token)
  requireNoConflict(await store.write(insertCard, { card, audit, ...completeExtras(ctx.idempotency, cardId, created) }))
  return created
}

/** The consent as the form sent it. For a merchant with its own form: that the merchant asserts it. */
function consentOf({ save, consent }: NewCardInput): object | null {
  return consent ?? (save ? { asserted: 'merchant' } : null)
}

function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

const noMac = new Uint8Array(0)
