import { isExpiryFault, readExpiry, readPan, type Expiry, type Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { CardRoute, FindRoute } from '@tessera/contract/route'
import { sealPan } from '@tessera/vault/seal'
import { issueToken } from '@tessera/vault/token'

import { expectFirst, rideBoth } from '../idempotency/rider.ts'
import type { CardRow } from '../store/store.ts'

import type { Asker } from './asker.ts'
import { unverifiedEndsAt } from './life.ts'
import { noteChange } from './note.ts'
import { askNetwork, refusalError } from './refusal.ts'
import type { CardTools } from './tools.ts'

/** A card as a cardholder gave it. */
export interface AskedCard {
  /** ASCII bytes of the card number; the caller wipes them. */
  readonly number: Uint8Array
  readonly expire: string
  /** Whether the cardholder agreed that the card is kept. */
  readonly save: boolean
  readonly customer: string | null
  readonly account: object | null
  readonly consent: object | null
  /** Counts the PAN before anything is asked or kept; throws when there are too many. */
  readonly count: (pan: Pan) => Promise<void>
  /** Takes an attempt of the form session; throws when there has to be one and is none. Null: made without. */
  readonly admit: () => Promise<AdmittedBy | null>
}

/** What a form session lays down, whatever the page said. */
export interface AdmittedBy {
  readonly sessionId: string
  readonly customer: string | null
  readonly save: 'ask' | 'off'
  /** Keeps the token for the merchant's server, before there is a card that it opens. Absent where the page gets it. */
  readonly keepToken?: (cardId: string, token: string) => Promise<void>
}

export interface CreatedCard {
  readonly card: CardRow
  /** Goes to the merchant once; nobody can tell it again. */
  readonly token: string
}

/** Seals a card under a new token. The same PAN again gives a new, unverified token: nothing is looked up by PAN. */
export async function createCard(tools: CardTools, asked: AskedCard, asker: Asker<CreatedCard>): Promise<CreatedCard> {
  const pan = readNumber(asked.number)
  try {
    const read = readRest(tools, pan, asked.expire)
    await asked.count(pan)
    const session = await asked.admit()
    await admit(tools, pan, read.expiry, asker)
    return await keep(tools, { ...read, pan, session, asked: underSession(asked, session) }, asker)
  } finally {
    pan.wipe()
  }
}

/** Throws what is wrong with the number or the expiry, and keeps neither. */
export function expectCard(tools: CardTools, number: Uint8Array, expire: string): void {
  const pan = readNumber(number)
  try {
    readRest(tools, pan, expire)
  } finally {
    pan.wipe()
  }
}

/** The payer is who the merchant's server says, and nothing is kept that it does not offer to keep. */
function underSession(asked: AskedCard, session: AdmittedBy | null): AskedCard {
  if (session === null) return asked
  if (session.save === 'off' && asked.save) throw new RpcError('memberInvalid', { data: 'save' })
  return { ...asked, customer: session.customer ?? asked.customer }
}

function readRest({ findRoute, clock }: CardTools, pan: Pan, expire: string): { route: CardRoute; expiry: Expiry } {
  return { route: routeOf(findRoute, pan), expiry: readLastMonth(expire, clock.now()) }
}

function readNumber(bytes: Uint8Array): Pan {
  const pan = readPan(bytes)
  if (typeof pan === 'string') throw new RpcError(pan, { data: 'card.number' })
  return pan
}

/** The first six digits decide, and the mask shows them: no reason to reveal the rest. */
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

async function admit({ network, clock, figures }: CardTools, pan: Pan, expiry: Expiry, asker: Asker): Promise<void> {
  const patience = { clock, timeoutMs: figures.networkTimeoutMs, signal: asker.signal }
  const refusal = await askNetwork(patience, (signal) => network.admit({ merchantId: asker.merchantId, pan, expiry }, signal))
  if (refusal !== null) throw refusalError(refusal, asker.requestId)
}

interface ReadCard {
  readonly pan: Pan
  readonly route: CardRoute
  readonly expiry: Expiry
  readonly asked: AskedCard
  readonly session: AdmittedBy | null
}

async function keep(tools: CardTools, { pan, route, expiry, asked, session }: ReadCard, asker: Asker<CreatedCard>): Promise<CreatedCard> {
  const { store, keyring, mac, clock, environment, figures } = tools
  const { merchantId, bucket } = asker
  const now = clock.now()
  const dek = await keyring.active('card', merchantId)
  const { cardId, token, secret, hash } = issueToken(bucket, now)
  const blob = sealPan(pan, secret, dek, { environment, merchantId, cardId })
  secret.fill(0)
  const card = await mac.seal({
    ...{ bucket, merchantId, cardId, version: 1, tokenHash: hash, keyId: dek.keyId, blob, mac: noMac },
    ...{ maskedPan: pan.masked, type: route.type, expiry, recurrent: asked.save, verified: false, state: 'live' },
    ...{ customer: asked.customer, account: asJson(asked.account), consent: asJson(consentOf(asked)) },
    ...{ createdAt: now, verifiedAt: null, endsAt: unverifiedEndsAt(figures, now), endedAt: null },
  })
  const note = noteChange(asker, card, { at: now, action: 'card.created', outcome: asked.save ? 'save' : 'once' })
  const created = { card, token }
  await session?.keepToken?.(cardId, token)
  expectFirst(await store.insertCard(card, note, rideBoth(asker.rider, cardId, created)))
  return created
}

/** What was agreed to, as the form sent it; where the merchant has its own form, that the merchant says so. */
function consentOf({ save, consent }: AskedCard): object | null {
  return consent ?? (save ? { asserted: 'merchant' } : null)
}

function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

const noMac = new Uint8Array(0)
