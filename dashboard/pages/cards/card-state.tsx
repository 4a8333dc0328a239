import type { Result } from '@tessera/contract/operations'

import { Tag } from '../../components/values.tsx'
import { cardPageText } from '../../messages/page-texts.ts'

/** Whether a live card is verified, or how another one ended. */
export function CardStateTag({ card: { state, verified } }: { card: CardWithState }) {
  const text = cardPageText.current().states
  if (state === 'tampered') return <Tag tone="red">{text.tampered}</Tag>
  if (state === 'live') return verified ? <Tag tone="green">{text.verified}</Tag> : <Tag tone="amber">{text.unverified}</Tag>
  return <Tag tone={state === 'expired' ? 'amber' : 'grey'}>{text[state]}</Tag>
}

type CardWithState = Pick<Result<'dashboard.cards.list'>['cards'][number], 'state' | 'verified'>

/** The same as text, for a file. */
export function cardStateText({ state, verified }: CardWithState): string {
  const text = cardPageText.current().states
  return state === 'live' ? text[verified ? 'verified' : 'unverified'] : text[state]
}
