import { isExpiryFault, readExpiry, readPan, type Expiry, type Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { CardRoute, FindRoute } from '@tessera/contract/route'
import { sealPan } from '@tessera/vault/seal'
import { issueToken } from '@tessera/vault/token'

import { requireNoConflict, completeExtras } from '../idempotency/handle.ts'
import { type CardRow, insertCard } from '../../store/cards.ts'

import { requireNetworkOfCard } from '../networks.ts'
import type { RequestContext } from '../request-context.ts'
import { unverifiedEndsAt } from './lifecycle.ts'
import { cardChangeEntry } from './change-records.ts'
import { callNetworkAdapter, refusalError } from './network-call.ts'
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
  /** Counts the PAN against its limits, before anything is stored. Throws at a limit. */
  readonly checkLimits: (pan: Pan) => Promise<void>
  /** Uses up one attempt of the form session. Throws if a session is required and missing. Null: created without a session. */
  readonly useFormSession: () => Promise<FormSessionTerms | null>
}

/** Terms of a form session, which override the params of the page. */
export interface FormSessionTerms {
  readonly sessionId: string
  readonly customer: string | null
  readonly save: 'ask' | 'off'
  /** Stores the token for the merchant's server, before the card is stored. Absent if the page gets the token. */
  readonly storeToken?: (cardId: string, token: string) => Promise<void>
}

export interface CreatedCard {
  readonly card: CardRow
  /** Returned to the merchant once; the service cannot show it again. */
  readonly token: string
}

/** Seals a card under a new token. The same PAN again gives a new, unverified token: cards are never looked up by PAN. */
export async function createCard(services: CardServices, input: NewCardInput, ctx: RequestContext<CreatedCard>): Promise<CreatedCard> {
  const pan = requirePan(input.number)
  try {
    const read = readRouteAndExpiry(services, pan, input.expire)
    await input.checkLimits(pan)
    const session = await input.useFormSession()
    await requireNetworkApproval(services, pan, read.expiry, ctx)
    return await sealAndInsert(services, { ...read, pan, session, input: applySessionTerms(input, session) }, ctx)
  } finally {
    pan.wipe()
  }
}

/** Throws the error of an invalid number or expiry. Stores nothing. */
export function validateCard(services: CardServices, number: Uint8Array, expire: string): void {
  const pan = requirePan(number)
  try {
    readRouteAndExpiry(services, pan, expire)
  } finally {
    pan.wipe()
  }
}

/** The session's customer overrides the page's, and `save` is refused if the session does not offer it. */
function applySessionTerms(input: NewCardInput, session: FormSessionTerms | null): NewCardInput {
  if (session === null) return input
  if (session.save === 'off' && input.save) throw new RpcError('memberInvalid', { data: 'save' })
  return { ...input, customer: session.customer ?? input.customer }
}

function readRouteAndExpiry({ findRoute, clock }: CardServices, pan: Pan, expire: string): { route: CardRoute; expiry: Expiry } {
  return { route: requireRoute(findRoute, pan), expiry: requireExpiry(expire, clock.now()) }
}

function requirePan(bytes: Uint8Array): Pan {
  const pan = readPan(bytes)
  if (typeof pan === 'string') throw new RpcError(pan, { data: 'card.number' })
  return pan
}

/** Routing needs only the first six digits, which the mask shows, so the PAN is not revealed. */
function requireRoute(findRoute: FindRoute, pan: Pan): CardRoute {
  const route = findRoute(Buffer.from(pan.masked.slice(0, 6), 'latin1'))
  if (route === null) throw new RpcError('cardNumberNoRoute', { data: 'card.number' })
  return route
}

function requireExpiry(text: string, now: number): Expiry {
  const expiry = readExpiry(text, now)
  if (isExpiryFault(expiry)) throw new RpcError(expiry, { data: 'card.expire' })
  return expiry
}

async function requireNetworkApproval(
  { networks, clock, settings }: CardServices,
  pan: Pan,
  expiry: Expiry,
  ctx: RequestContext,
): Promise<void> {
  const { merchantId, signal } = ctx
  const { network, gate } = requireNetworkOfCard(networks, pan.masked)
  const options = { gate, merchantId, clock, timeoutMs: settings.networkTimeoutMs, signal }
  const refusal = await callNetworkAdapter(options, (until) => network.admit({ merchantId, pan, expiry }, until))
  if (refusal !== null) throw refusalError(refusal, ctx.requestId)
}

interface ValidatedCard {
  readonly pan: Pan
  readonly route: CardRoute
  readonly expiry: Expiry
  readonly input: NewCardInput
  readonly session: FormSessionTerms | null
}

async function sealAndInsert(
  services: CardServices,
  { pan, route, expiry, input, session }: ValidatedCard,
  ctx: RequestContext<CreatedCard>,
): Promise<CreatedCard> {
  const { store, keyring, rows, clock, environment, settings } = services
  const { merchantId, bucket } = ctx
  const now = clock.now()
  const dek = await keyring.active('card', merchantId)
  const { cardId, token, secret, hash } = issueToken(bucket, now)
  const blob = sealPan(pan, secret, dek, { environment, merchantId, cardId })
  secret.fill(0)
  const card = await rows.seal({
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
    account: toJsonOrNull(input.account),
    consent: toJsonOrNull(consentOf(input)),
    createdAt: now,
    verifiedAt: null,
    endsAt: unverifiedEndsAt(settings, now),
    endedAt: null,
  })
  const audit = cardChangeEntry(ctx, card, { at: now, action: 'card.created', outcome: input.save ? 'saved' : 'one_time' })
  const created = { card, token }
  await session?.storeToken?.(cardId, token)
  requireNoConflict(await store.write(insertCard, { card, audit, ...completeExtras(ctx.idempotency, cardId, created) }))
  return created
}

/** The consent that the form sent. With a form of its own the merchant asserts the consent. */
function consentOf({ save, consent }: NewCardInput): object | null {
  return consent ?? (save ? { asserted: 'merchant' } : null)
}

function toJsonOrNull(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

const noMac = new Uint8Array(0)
