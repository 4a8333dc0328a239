import type { Result } from '@tessera/contract/methods'

import { Copy } from '../../parts/copy.tsx'
import { grouped } from '../../parts/grouped.ts'
import { startText } from './start-text.ts'

type Card = Result<'dashboard.start.get'>['testCards'][number]

/** The seven public cards, each copied by one click. */
export function TestCards({ cards }: { cards: readonly Card[] }) {
  const text = startText.now()
  return (
    <section class="panel">
      <h2>{text.testCards}</h2>
      <p>{text.testCardsText}</p>
      <ul class="test-cards">
        {cards.map((card) => (
          <li key={card.number}>
            <Copy text={card.number} label={grouped(card.number)} />
            <span>{meaningOf(card)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function meaningOf({ meaning, sentBy }: Card): string {
  const text = startText.now()
  return meaning === 'success' ? text.sentBy[sentBy] : (text.meanings[meaning] ?? meaning)
}
