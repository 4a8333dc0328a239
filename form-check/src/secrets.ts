/** A report is pasted into tickets: what stands in an address, an action or a script is told without the password and the card in it. */
export function hideSecrets(text: string): string {
  return text
    .replace(new RegExp(password, 'gi'), (found) => `${found.slice(0, ID_LENGTH)}:***`)
    .replace(/\d(?:[ +.-]?\d){11,18}/g, (digits) => `${digits.slice(0, 4)}***${digits.slice(-4)}`)
    .replace(/(https?:\/\/)[^\s/@]+@/gi, '$1***@')
    .toWellFormed()
}

/** Whether `X-Auth` of a server stands in the text. */
export function holdsPassword(text: string): boolean {
  return new RegExp(password, 'i').test(text)
}

/** An id of 24 hex digits, a colon (in an address it may be written %3A), and what is long enough to be a password. */
const password = '\\b[0-9a-f]{24}(?::|%3A)[^\\s\'"`<>]{8,}'
const ID_LENGTH = 24
