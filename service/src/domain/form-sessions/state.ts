import type { RequestContext } from '../request-context.ts'
import type { CardServices } from '../cards/services.ts'
import { findCardByToken } from '../cards/find.ts'
import { isLive } from '../cards/lifecycle.ts'
import type { Clock } from '../../clock.ts'
import type { CardRow } from '../../store/cards.ts'
import type { FormSessionRow } from '../../store/form-sessions.ts'

import type { HostedSessions } from './hosted.ts'

/** The state of a session. The picked card or the first verified one is the session's result; later cards and removals do not change that. */
export interface FormSessionState {
  readonly state: 'open' | 'done' | 'cancelled' | 'ended'
  /** The verified card; null when there is none, when it is no longer live, or when a saved card was picked. */
  readonly done: { readonly card: CardRow; readonly token: string } | null
}

export interface FormSessionStateDependencies {
  readonly hosted: HostedSessions
  readonly cards: CardServices
  readonly clock: Pick<Clock, 'now'>
}

export async function formSessionStateOf(
  deps: FormSessionStateDependencies,
  session: string,
  row: FormSessionRow,
  ctx: RequestContext,
): Promise<FormSessionState> {
  if (row.picked !== '') return { state: 'done', done: null }
  const now = deps.clock.now()
  const tokens = await deps.hosted.tokensOf(session, row)
  const found = await Promise.all(tokens.map(async (token) => ({ token, card: await findCardByToken(deps.cards, token, ctx) })))
  const verified = found.flatMap(({ token, card }) => (card !== null && isInTime(card, row) ? [{ token, card }] : []))
  const [first] = verified.toSorted((one, other) => (one.card.verifiedAt ?? 0) - (other.card.verifiedAt ?? 0))
  if (first !== undefined) return { state: 'done', done: first.card.state === 'live' && isLive(first.card, now) ? first : null }
  return { state: row.cancelledAt > 0 ? 'cancelled' : row.endsAt <= now ? 'ended' : 'open', done: null }
}

/** Verified, and not after the cardholder cancelled. */
function isInTime({ verifiedAt }: CardRow, { cancelledAt }: FormSessionRow): boolean {
  return verifiedAt !== null && (cancelledAt === 0 || verifiedAt <= cancelledAt)
}
