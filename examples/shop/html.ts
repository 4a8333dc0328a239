/** Markup that is safe to put into a page: only `html` creates it. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type TemplateValue = Markup | string | number | null | false | readonly TemplateValue[]

/** A template tag. Values are escaped, except markup; null and false produce nothing. */
export function html(strings: TemplateStringsArray, ...values: TemplateValue[]): Markup {
  return new Markup(strings.map((text, index) => text + toMarkup(values[index] ?? null)).join(''))
}

function toMarkup(value: TemplateValue): string {
  if (value === null || value === false) return ''
  if (value instanceof Markup) return value.text
  if (typeof value === 'object') return value.map(toMarkup).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
