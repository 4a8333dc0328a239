/** `99890*****66` as people write a phone: `+998 90 ••• •• 66`. */
export function formatPhone(mask: string): string {
  const [, country, operator, last] = /^(998)(\d\d)\*{5}(\d\d)$/.exec(mask) ?? []
  return country === undefined ? mask.replaceAll('*', '•') : `+${country} ${operator ?? ''} ••• •• ${last ?? ''}`
}

/** The masked phone in words, its digits one by one: a screen reader would read it as one number of millions, and leave out the rest. */
export function spellPhone(mask: string, text: string): string {
  const [, first = '', hidden = '', last = ''] = /^(\d*)(\**)(\d*)$/.exec(mask) ?? []
  return text.replace('{0}', spellDigits(first)).replace('{1}', String(hidden.length)).replace('{2}', spellDigits(last))
}

/** `8600***6311` as it stands on a card, `8600 •••• 6311`. */
export function formatMask(number: string): string {
  return number.replace(/\*+/, ' •••• ')
}

/** Digits one by one. */
export function spellDigits(digits: string): string {
  return Array.from(digits).join(' ')
}
