import { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import type { Cards } from '../cards/cards.ts'
import type { Clock } from '../clock.ts'
import type { CardRow, FormSessionRow } from '../store/store.ts'

import type { HostedSessions } from './hosted.ts'

/** What became of a session; with the card where one is verified, which nothing that came later takes back. */
export interface FormSessionState {
  readonly state: 'open' | 'done' | 'cancelled' | 'ended'
  readonly done: { readonly card: CardRow; readonly token: string } | null
}

export interface StateParts {
  readonly hosted: HostedSessions
  readonly cards: Pick<Cards, 'find'>
  readonly clock: Pick<Clock, 'now'>
}

export async function stateOf(parts: StateParts, session: string, row: FormSessionRow, asker: Asker): Promise<FormSessionState> {
  for (const token of await parts.hosted.tokensOf(session, row)) {
    const card = await findVerified(parts, token, asker)
    if (card !== null) return { state: 'done', done: { card, token } }
  }
  const state = row.cancelledAt > 0 ? 'cancelled' : row.endsAt <= parts.clock.now() ? 'ended' : 'open'
  return { state, done: null }
}

/** Null for a card that is not verified, was removed, or was never made because the service stopped in between. */
async function findVerified({ cards }: StateParts, token: string, asker: Asker): Promise<CardRow | null> {
  try {
    const { card, secret } = await cards.find(token, asker)
    secret.fill(0)
    return card.verified ? card : null
  } catch (err) {
    if (err instanceof RpcError && gone.has(err.entry)) return null
    throw err
  }
}

const gone: ReadonlySet<string> = new Set(['cardNotFound', 'cardDeleted', 'cardEnded'])
