import { place } from '../../app/router.ts'
import { CardDetail } from './card-detail.tsx'
import { CardList } from './card-list.tsx'

/** /dashboard/cards lists, /dashboard/cards/<id> tells one. */
export function CardsPage() {
  const [cardId] = place.value.rest
  return cardId === undefined ? <CardList /> : <CardDetail cardId={cardId} />
}
