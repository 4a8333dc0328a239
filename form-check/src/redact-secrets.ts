// The rules, the report and the text of an error go through it, from every mode: it imports none of them.

/** Redacts passwords, card numbers and URL credentials. Reports are pasted into tickets, and addresses, actions or scripts may contain secrets. */
export function redactSecrets(text: string): string {
  return text
    .replace(new RegExp(serverCredentials, 'gi'), (match) => `${match.slice(0, merchantIdLength)}:***`)
    .replace(/\d(?:[ +.-]?\d){11,18}/g, (digits) => (isPlaceholder(digits) ? digits : `${digits.slice(0, 4)}***${digits.slice(-4)}`))
    .replace(/(https?:\/\/)[^\s/@]+@/gi, '$1***@')
    .toWellFormed()
}

/** `0000 0000 0000 0000` is no card number, and a reader of the report has to recognize the placeholder. */
function isPlaceholder(digits: string): boolean {
  return new Set(digits.replace(/\D/g, '')).size === 1
}

/** Whether the text contains the `X-Auth` value of a merchant's server: id and password. */
export function containsPassword(text: string): boolean {
  return new RegExp(serverCredentials, 'i').test(text)
}

/** 24 hex digits, a colon (%3A in an address), and at least eight characters that may be a password. */
const serverCredentials = '\\b[0-9a-f]{24}(?::|%3A)[^\\s\'"`<>]{8,}'
const merchantIdLength = 24
