import { hasValidCheckDigit } from '@tessera/contract/check-digit'
import { cardNumberDetector, ownIdShape, type TextRange } from '@tessera/contract/card-number-detector'

/**
 * The tripwire after the list of fields: masks every card number in a finished line, and whatever else could be one (12 to 19 digits with a valid check
 * digit that stand alone, also in groups of four). It should never find one; a test run in which it does has failed.
 *
 * Ids are hex words and may hold digits by chance: what has the exact shape of an id of ours is left alone.
 */
export function scrubLine(line: string): { text: string; found: number } {
  if (!WORTH_A_LOOK.test(line)) return { text: line, found: 0 }
  const ranges = cardNumberDetector.rangesIn(line).filter((range) => !isInsideId(line, range))
  let found = ranges.length
  const maskIfValid = (run: string): string => {
    if (!hasValidCheckDigit(Buffer.from(run.replace(/[ -]/g, ''), 'latin1'))) return run
    found += 1
    return MASK
  }
  const text = maskRanges(line, ranges).replace(STANDING_ALONE, maskIfValid).replace(IN_FOURS, maskIfValid)
  return { text, found }
}

function maskRanges(line: string, ranges: readonly TextRange[]): string {
  let text = ''
  let at = 0
  for (const { from, to } of ranges) {
    text += line.slice(at, from) + MASK
    at = to
  }
  return text + line.slice(at)
}

/** Whether the letters and digits around a range make up an id. */
export function isInsideId(line: string, { from, to }: TextRange): boolean {
  let start = from
  let end = to
  while (start > 0 && isWordCharacter(line.charCodeAt(start - 1))) start--
  while (end < line.length && isWordCharacter(line.charCodeAt(end))) end++
  return ownIdShape.test(line.slice(start, end))
}

function isWordCharacter(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}

const WORTH_A_LOOK = /[0-9]{12}|[0-9]{4}[^0-9A-Za-z"][0-9]{4}|[\uff10-\uff19]/
const STANDING_ALONE = /(?<![0-9A-Za-z])[0-9]{12,19}(?![0-9A-Za-z])/g
const IN_FOURS = /(?<![0-9])[0-9]{4}[ -][0-9]{4}[ -][0-9]{4}[ -][0-9]{4}(?![0-9])/g
const MASK = '[card number]'
