import type { Result } from '@tessera/contract/methods'

import { wordsOf } from '../../app/language.ts'
import { Tag } from '../../parts/tag.tsx'
import { cardWords } from './card-words.ts'

/** Of a live card, whether it is proved; of another, how it ended. */
export function CardState({
  card: { state, verified },
}: {
  card: Pick<Result<'dashboard.cards.list'>['cards'][number], 'state' | 'verified'>
}) {
  const text = wordsOf(cardWords).states
  if (state === 'tampered') return <Tag tone="red">{text.tampered}</Tag>
  if (state === 'live') return verified ? <Tag tone="green">{text.verified}</Tag> : <Tag tone="amber">{text.unverified}</Tag>
  return <Tag tone={state === 'expired' ? 'amber' : 'grey'}>{text[state]}</Tag>
}
