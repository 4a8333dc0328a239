/** A card number in groups of four, as it stands on a card. */
export function grouped(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, '$1 ')
}
