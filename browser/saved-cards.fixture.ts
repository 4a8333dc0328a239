import assert from 'node:assert/strict'

import type { TestBed } from './form.fixture.ts'

/** A running service, and the origin of the shop. */
type ShopAndService = Pick<TestBed, 'tessera' | 'shopOrigin'>

/** Calls the service as the merchant's server does. */
export async function callAsServer<Result>({ tessera }: ShopAndService, method: string, params: object): Promise<Result> {
  const { url, merchantId, password } = tessera
  const headers = { 'content-type': 'application/json', 'x-auth': `${merchantId}:${password}` }
  const response = await fetch(`${url}/api/${method}`, { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) })
  const { result, error } = (await response.json()) as { result?: Result; error?: unknown }
  return result ?? assert.fail(JSON.stringify(error))
}

/** Saves cards for further payments, and returns their tokens. */
export async function saveCards(testBed: ShopAndService, pans: readonly string[]): Promise<string[]> {
  const tokens: string[] = []
  for (const number of pans) {
    const created = { card: { number, expire: '0399' }, save: true }
    const { card } = await callAsServer<{ card: { token: string } }>(testBed, 'cards.create', created)
    await callAsServer(testBed, 'cards.get_verify_code', { token: card.token })
    await callAsServer(testBed, 'cards.verify', { token: card.token, code: '666666' })
    tokens.push(card.token)
  }
  return tokens
}

/** What the payer did with the saved cards of a session. */
export interface SessionOutcome {
  readonly state: string
  readonly picked?: string
  readonly removals?: readonly string[]
}

/** Creates a session for the shop's page that offers the cards with these tokens. */
export async function createOfferingSession(
  testBed: ShopAndService,
  tokens: readonly string[],
  other: object = {},
): Promise<OfferedSession> {
  const params = { origin: testBed.shopOrigin, save: 'ask', cards: tokens.map(idOfToken), ...other }
  const { session, page = '' } = await callAsServer<{ session: string; page?: string }>(testBed, 'form.sessions.create', params)
  return { session, page, readOutcome: () => callAsServer<SessionOutcome>(testBed, 'form.sessions.get', { session }) }
}

export interface OfferedSession {
  readonly session: string
  /** The hosted page; '' for a session without a return address. */
  readonly page: string
  readOutcome: () => Promise<SessionOutcome>
}

export function idOfToken(token: string): string {
  return token.slice(0, 24)
}
