import { signal } from '@preact/signals'
import { cardNumberDetector, ownIdShape } from '@tessera/contract/card-number-detector'

/** A field that a card number was typed or pasted into. */
export interface TypedCardNumber {
  readonly field: TextField
  /** Its last four digits, which the field now contains. Null in a field that does not search, whose text is left as it is and is not sent. */
  readonly lastFour: string | null
}

type TextField = HTMLInputElement | HTMLTextAreaElement

/** What `CardNumberNotice` speaks of, until something else is typed into the field. */
export const typedCardNumber = signal<TypedCardNumber | null>(null)

/**
 * Replaces a card number by its last four digits in every field that searches or filters, before the page reads it; so it gets into no call, no address and
 * no history. Other fields keep it, and `call` sends nothing that contains one.
 */
export function startCardNumberGuard(): void {
  addEventListener('input', ({ target }) => guard(target), { capture: true })
}

function guard(target: EventTarget | null): void {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return
  // As `call`: an id of an earlier version can hold a card number by chance.
  const [range] = ownIdShape.test(target.value.trim()) ? [] : cardNumberDetector.rangesIn(target.value)
  if (range === undefined) {
    if (typedCardNumber.peek()?.field === target) typedCardNumber.value = null
    return
  }
  if (!isSearchField(target)) {
    typedCardNumber.value = { field: target, lastFour: null }
    return
  }
  const lastFour = lastFourOf(target.value.slice(range.from, range.to))
  target.value = lastFour
  typedCardNumber.value = { field: target, lastFour }
}

/** Lists are filtered by the forms of class `tools`; the search of the whole dashboard is a combobox. */
function isSearchField(field: TextField): boolean {
  return field.type === 'search' || field.closest('.tools, [role=search], [role=combobox]') !== null
}

/** Full-width digits count as digits. */
function lastFourOf(number: string): string {
  return number.normalize('NFKC').replace(/\D/g, '').slice(-4)
}
