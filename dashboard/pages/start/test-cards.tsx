import type { Result } from '@tessera/contract/operations'

import { CopyButton } from '../../components/copy.tsx'
import { groupCardNumber } from '../../format/numbers.ts'
import { startPageText } from '../../messages/page-texts.ts'

type TestCard = Result<'dashboard.start.get'>['testCards'][number]

/** The public test cards, each copied by a click. */
export function TestCardsPanel({ cards }: { cards: readonly TestCard[] }) {
  const text = startPageText.current()
  return (
    <section class="panel">
      <h2>{text.testCards}</h2>
      <p>{text.testCardsText}</p>
      <ul class="test-cards">
        {cards.map((card) => (
          <li key={card.number}>
            <CopyButton text={card.number} label={groupCardNumber(card.number)} />
            <span>{describeTestCard(card)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function describeTestCard({ meaning, sentBy }: TestCard): string {
  const text = startPageText.current()
  return meaning === 'success' ? text.sentBy[sentBy] : (text.meanings[meaning] ?? meaning)
}
