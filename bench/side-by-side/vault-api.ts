import type { WireReply } from '../wire-connection.ts'

/** One card that every vault is given: the same number, expiry and owner. */
export interface CardPayload {
  readonly pan: string
  /** Month and year, two digits each. */
  readonly month: string
  readonly year: string
}

/** A request of a vault's API, before it is written to a connection. */
export interface VaultRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** The two calls of a vault that are measured. To measure another vault, add its entry to `vaultApis`. */
export interface VaultApi {
  /** Stores a card. Each call has a number that was not stored before. */
  create(card: CardPayload, xAuth: string): VaultRequest
  /** What the reply calls the card; null: it was not stored. */
  referenceOf(reply: WireReply): string | null
  /** Reads a stored card. */
  read(reference: string, xAuth: string): VaultRequest
  isRead(reply: WireReply): boolean
  /** What a reader of the figures has to know of its two calls. */
  readonly about: string
}

export const vaultKinds = ['tessera', 'floor', 'baseline', 'hyperswitch-card-vault'] as const
export type VaultKind = (typeof vaultKinds)[number]

/** Its JSON-RPC, which the floor and the baseline understand too. */
function tesseraApi(about: string): VaultApi {
  return {
    about,
    create: ({ pan, month, year }, xAuth) => ({
      path: '/api/cards.create',
      headers: { 'x-auth': xAuth.slice(0, xAuth.indexOf(':')) },
      body: { jsonrpc: '2.0', id: 1, method: 'cards.create', params: { card: { number: pan, expire: month + year }, save: true } },
    }),
    referenceOf: ({ status, body }) => (status === 200 ? (/"token":"([^"]+)"/.exec(body)?.[1] ?? null) : null),
    read: (token, xAuth) => ({
      path: '/api/cards.check',
      headers: { 'x-auth': xAuth },
      body: { jsonrpc: '2.0', id: 1, method: 'cards.check', params: { token } },
    }),
    isRead: ({ status, body }) => status === 200 && body.includes('"result":'),
  }
}

export const vaultApis: Readonly<Record<VaultKind, VaultApi>> = {
  tessera: tesseraApi(
    'cards.create seals the number, links the audit and logs the call; cards.check verifies the row and does not open the card',
  ),
  floor: tesseraApi(
    'bare node:http and one durable insert of an equal row with its audit entry, or one point read; nothing is checked or sealed',
  ),
  baseline: tesseraApi('parses, seals with one key and inserts in batches; nothing is checked, authenticated, linked or logged'),
  'hyperswitch-card-vault': {
    about: '/data/add looks for a duplicate and seals the card; /data/retrieve opens it and returns the number',
    create: ({ pan, month, year }) => ({
      path: '/data/add',
      headers: tenant,
      body: { ...owner, card: { card_number: pan, card_exp_month: month, card_exp_year: year } },
    }),
    referenceOf: ({ status, body }) => (status === 200 ? (/"card_reference":"([^"]+)"/.exec(body)?.[1] ?? null) : null),
    read: (reference) => ({ path: '/data/retrieve', headers: tenant, body: { ...owner, card_reference: reference } }),
    isRead: ({ status, body }) => status === 200 && body.includes('"card_number":'),
  },
}

/** The tenant and the owner of all cards: one merchant, as in the other vaults. */
const tenant = { 'x-tenant-id': 'public' }
const owner = { merchant_id: 'bench', merchant_customer_id: 'customer' }

/** The bytes of a request, so that writing them costs the load nothing while it is measured. */
export function writeVaultRequest(url: string, { path, headers, body }: VaultRequest): Buffer {
  const text = JSON.stringify(body)
  const lines = Object.entries({ ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const { host, pathname } = new URL(url)
  return Buffer.from(`POST ${pathname.replace(/\/$/, '')}${path} HTTP/1.1\r\nhost: ${host}\r\n${head}\r\n${text}`)
}
