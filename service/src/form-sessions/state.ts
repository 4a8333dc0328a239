import type { Asker } from '../cards/asker.ts'
import type { Cards } from '../cards/cards.ts'
import { isLive } from '../cards/life.ts'
import type { Clock } from '../clock.ts'
import type { CardRow, FormSessionRow } from '../store/store.ts'

import type { HostedSessions } from './hosted.ts'

/** What became of a session. Who was verified first is the one that it was for: no card that came later takes its place, and no removal takes it back. */
export interface FormSessionState {
  readonly state: 'open' | 'done' | 'cancelled' | 'ended'
  /** While the card lives. */
  readonly done: { readonly card: CardRow; readonly token: string } | null
}

export interface StateParts {
  readonly hosted: HostedSessions
  readonly cards: Pick<Cards, 'lookUp'>
  readonly clock: Pick<Clock, 'now'>
}

export async function stateOf(parts: StateParts, session: string, row: FormSessionRow, asker: Asker): Promise<FormSessionState> {
  const now = parts.clock.now()
  const tokens = await parts.hosted.tokensOf(session, row)
  const found = await Promise.all(tokens.map(async (token) => ({ token, card: await parts.cards.lookUp(token, asker) })))
  const verified = found.flatMap(({ token, card }) => (card !== null && isInTime(card, row) ? [{ token, card }] : []))
  const [first] = verified.toSorted((one, other) => (one.card.verifiedAt ?? 0) - (other.card.verifiedAt ?? 0))
  if (first !== undefined) return { state: 'done', done: first.card.state === 'live' && isLive(first.card, now) ? first : null }
  return { state: row.cancelledAt > 0 ? 'cancelled' : row.endsAt <= now ? 'ended' : 'open', done: null }
}

/** Verified, and not after the cardholder had turned back. */
function isInTime({ verifiedAt }: CardRow, { cancelledAt }: FormSessionRow): boolean {
  return verifiedAt !== null && (cancelledAt === 0 || verifiedAt <= cancelledAt)
}
