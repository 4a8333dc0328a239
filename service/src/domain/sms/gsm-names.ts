import { isGsmText } from '@tessera/contract/sms-text'

/**
 * A name in the default alphabet of SMS, of which one character outside halves the length of a segment: Cyrillic letters are written in Latin ones, as in
 * Uzbek, letters lose marks that the alphabet does not have, and what remains outside of it is left out.
 */
export function toGsmName(name: string): string {
  if (isGsmText(name)) return name
  return Array.from(name, toGsmCharacters).join('').replaceAll(/ {2,}/g, ' ').trim()
}

function toGsmCharacters(character: string): string {
  if (isGsmText(character)) return character
  const lower = character.toLowerCase()
  const latin = cyrillic[lower] ?? signs[character]
  if (latin !== undefined) return lower === character ? latin : latin.slice(0, 1).toUpperCase() + latin.slice(1)
  return Array.from(character.normalize('NFKD').replaceAll(/\p{M}/gu, '')).filter(isGsmText).join('')
}

// prettier-ignore
const cyrillic: Readonly<Record<string, string>> = {
  а: 'a', б: 'b', в: 'v', г: 'g', д: 'd', е: 'e', ё: 'yo', ж: 'j', з: 'z', и: 'i', й: 'y', к: 'k', л: 'l', м: 'm', н: 'n', о: 'o', п: 'p',
  р: 'r', с: 's', т: 't', у: 'u', ф: 'f', х: 'x', ц: 'ts', ч: 'ch', ш: 'sh', щ: 'sh', ъ: "'", ы: 'i', ь: '', э: 'e', ю: 'yu', я: 'ya',
  ў: "o'", қ: 'q', ғ: "g'", ҳ: 'h',
}

/** Signs that are written in names. */
// prettier-ignore
const signs: Readonly<Record<string, string>> = {
  'ʻ': "'", 'ʼ': "'", '‘': "'", '’': "'", '`': "'", '«': '"', '»': '"', '“': '"', '”': '"', '„': '"', '–': '-', '—': '-', '‑': '-', '\u00a0': ' ', '№': 'No',
}
