import { cardNumberDetector } from '@tessera/contract/card-number-detector'

/** Zeroes long runs of digits, so that no card number is sent, not even a sample one. The length stays, so that columns in the report are right. */
export function maskDigitRuns(html: string): string {
  let masked = html.replace(/\d(?:[ .-]?\d){11,18}/g, zeroDigits)
  for (const { from, to } of cardNumberDetector.rangesIn(masked))
    masked = masked.slice(0, from) + zeroDigits(masked.slice(from, to)) + masked.slice(to)
  return masked
}

function zeroDigits(text: string): string {
  return text.replace(/[0-9\uff10-\uff19]/g, '0')
}

/** Whether a check request would exceed the size of a request body. */
export function isTooLongToSend(source: object): boolean {
  return new Blob([JSON.stringify(source)]).size > maxBodyBytes
}

/** The commands that check a page in a real browser. The address is single-quoted for a shell, with its own quotes percent-encoded. */
export function formCheckCommand(page: string | null): string {
  const address = page === null || page === 'pasted' ? 'https://shop.example/pay' : page
  return `tessera form-check '${address.replaceAll("'", '%27')}'\ntessera form-check '${address.replaceAll("'", '%27')}' --sarif > form-check.sarif`
}

/** A little below the service's limit for a request body. */
const maxBodyBytes = 65_000
