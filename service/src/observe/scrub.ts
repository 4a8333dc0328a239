import { hasValidCheckDigit } from '@tessera/contract/card'
import { cardRoutes } from '@tessera/contract/route'

/**
 * The tripwire behind the list of fields: masks whatever in a finished line could be a card number (12 to 19 digits with a right check
 * digit), also in groups. It should never find one; a run of tests in which it does has failed.
 *
 * Ids are hex words and may hold digits by chance, so inside a word only sixteen digits under a known prefix count.
 */
export function scrubLine(line: string): { text: string; found: number } {
  if (!WORTH_A_LOOK.test(line)) return { text: line, found: 0 }
  let found = 0
  const mask = (run: string): string => {
    if (!hasValidCheckDigit(Buffer.from(run.replace(/[ -]/g, ''), 'latin1'))) return run
    found += 1
    return MASK
  }
  const text = line
    .replace(STANDING_ALONE, mask)
    .replace(IN_FOURS, mask)
    .replace(INSIDE_A_WORD, (run) => (isRouted(run) ? mask(run) : run))
  return { text, found }
}

function isRouted(run: string): boolean {
  return prefixes.some((prefix) => run.startsWith(prefix))
}

const prefixes = cardRoutes.map((route) => route.prefix).filter((prefix) => prefix.length >= 4)
const WORTH_A_LOOK = /[0-9]{12}|[0-9]{4}[ -][0-9]{4}[ -]/
const STANDING_ALONE = /(?<![0-9A-Za-z])[0-9]{12,19}(?![0-9A-Za-z])/g
const IN_FOURS = /(?<![0-9])[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{4}(?![0-9])/g
const INSIDE_A_WORD = /(?<![0-9])[0-9]{16}(?![0-9])/g
const MASK = '[card number]'
