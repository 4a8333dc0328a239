import { hasValidCheckDigit } from './check-digit.ts'

/**
 * Takes out of a text what must not be printed: digits that may be a card number (12 to 19 of them with a right check digit, also in groups),
 * and the secret half of tokens.
 */
export function maskSecrets(text: string): string {
  return text
    .replaceAll(/\b([0-9a-f]{24})_[0-9A-Za-z]{20,103}/g, '$1_…')
    .replaceAll(/[0-9](?:[ -]?[0-9]){11,18}/g, (run) => (hasValidCheckDigit(run.replaceAll(/[^0-9]/g, '')) ? maskRun(run) : run))
}

function maskRun(run: string): string {
  return `${run.slice(0, 4)}***${run.slice(-4)}`
}
