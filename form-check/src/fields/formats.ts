/** The form that an input's placeholder, mask or bounds give to what is typed. */
export type InputFormat = 'pan' | 'pan_letters' | 'pan_length' | 'expiry' | 'code' | null

/** Attributes by which masks of common libraries are given. */
const maskAttributes = [
  'data-mask',
  'data-inputmask',
  'data-inputmask-mask',
  'data-imask',
  'x-mask',
  'v-mask',
  'v-maska',
  'data-maska',
  'mask',
  'data-format',
  'data-placeholder',
  'placeholder',
  'pattern',
]

/** Reads the format of a text input from its attributes. `masks` are those that scripts set for it. */
export function readFormat(attributes: Readonly<Record<string, string>>, masks: readonly string[] = []): InputFormat {
  const samples = [...maskAttributes.map((name) => attributes[name] ?? ''), ...masks].filter((sample) => sample !== '')
  const formats = samples.map((sample) => formatOf(sample))
  for (const format of ['pan', 'expiry', 'pan_letters', 'code'] as const) if (formats.includes(format)) return format
  const length = Number(attributes['maxlength'] ?? 0)
  const isNumeric = /^(numeric|decimal|tel)$/i.test(attributes['inputmode'] ?? '') || /^(tel|number)$/i.test(attributes['type'] ?? '')
  if ([16, 19].includes(length) && (isNumeric || length === 19)) return 'pan_length'
  return null
}

/** The format that a sample such as `0000 0000 0000 0000` or `MM / YY` shows. */
export function formatOf(sample: string): InputFormat {
  const text = sample
    .normalize('NFKC')
    .replace(/[\u200b-\u200f]/g, '')
    .trim()
  if (cardSample.test(text) && !/(^|\D)89\d\d[ -]?\d\d/.test(text))
    return /[0-9#_*•●]/.test(text.replace(/[a-z]{3,}/gi, '')) ? 'pan' : 'pan_letters'
  if (cardPattern.test(text)) return 'pan'
  if (expirySample.test(text) || expiryNumbers.test(text) || expiryLetters.test(text)) return 'expiry'
  return /^(•{3}|\*{3}|000|123|###|999)$/.test(text) ? 'code' : null
}

/** Months or years to choose from are the format of an expiry. */
export function readSelectFormat({ tag, code }: { readonly tag: string; readonly code: string }): InputFormat {
  if (tag !== 'select') return null
  const options = code.split('\n').map((option) => option.trim())
  const numbers = options.map((option) => Number(/^\d{1,4}/.exec(option)?.[0] ?? NaN)).filter((number) => !Number.isNaN(number))
  const areMonths = numbers.length === 12 && numbers.every((number, index) => number === index + 1)
  const years = numbers.map((number) => (number < 100 ? number + 2000 : number))
  const areYears =
    years.length >= 4 &&
    years.every((year, index) => year === (years[0] ?? 0) + index) &&
    (years[0] ?? 0) >= 2020 &&
    (years.at(-1) ?? 0) >= 2027
  return areMonths || areYears ? 'expiry' : null
}

/** Whether an input can take twelve digits or more, the shortest card number. */
export function canHoldPan(tag: string, attributes: Readonly<Record<string, string>>): boolean {
  const length = attributes['maxlength']
  if (length !== undefined && /^\d+$/.test(length) && Number(length) > 0 && Number(length) < 12) return false
  const most = attributes['max']
  if (most !== undefined && /^\d+$/.test(most) && most.length < 12) return false
  return tag !== 'select' && !/^(email|date|time|datetime-local|month|week|color|range|url)$/i.test(attributes['type'] ?? '')
}

/** Four groups of four, also longer ones up to 19 digits, or 16 in a row; not the five groups of a bank account. */
const cardSample =
  /(?<![\p{N}#_*•●][\s-]{0,3}|\p{L})(?:[0-9x#_*•●∙·]{4}([\s\u00a0-]{1,3})(?:[0-9x#_*•●∙·]{4}\1){2}[0-9x#_*•●∙·]{4}(?:\1?[0-9x#_*•●∙·]{1,3})?|[0-9x#_*•●∙·]{16})(?![\s-]*[\p{N}x#_*•●])/iu
/** `\d{16}`, `[0-9 ]{13,19}`, `(\d{4} ?){4}`. */
const cardPattern = /(\\d|\[0-9[^\]]*\])\{(1[2-6](,(16|19|23))?|19)\}|(\(|\[)?(\\d|\[0-9\])\{4\}.{0,6}\)\{(3|4)\}/
const expirySample =
  /(^|[\s(])(mm|oo|oy|ay|mes|месяц|мм|оо|ой|m|month)\s?[/.\-|\\ ]\s?(yyyy|yy|гггг|гг|йй|йййй|yil|йил|год|yyil|aa|g|gg|y|year)($|[\s)])/i
const expiryNumbers = /^(0[1-9]|1[0-2]|00|99|##|__|••)\s?\/\s?(2\d|3\d|00|99|##|__|••|20[2-4]\d)$/
/** `MMYY`, `ММГГ`: nothing else in the sample. */
const expiryLetters = /^(mm|мм|oo|оо)(yy|yyyy|гг|гггг|йй|йййй)$/i
