/** An element as both halves know it. */
export interface Marked {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Whether a card's number, expiry or holder is asked for, by what browsers and people read of the input. */
export function isCardInput(one: Marked): boolean {
  if (!isTyped(one)) return false
  if (/(^|\s)cc-(number|exp|exp-month|exp-year|name)(\s|$)/i.test(read(one, 'autocomplete'))) return true
  return /card[-_ ]?(num|no\b|exp|holder)|cc[-_ ]?(num|exp)|\b(pan|cardpan)\b|номер карты|срок (действия )?карты|karta(ning)? (raqami|muddati)/i.test(
    words(one),
  )
}

/** Whether the number itself is asked for: the input that a sandbox card is typed into. */
export function isNumberInput(one: Marked): boolean {
  return (
    isCardInput(one) && !/exp|holder|name|срок|muddati/i.test(`${read(one, 'autocomplete')} ${read(one, 'id')} ${read(one, 'placeholder')}`)
  )
}

/** Whether a CVV or PIN is asked for, or the code of an SMS. */
export function isSadInput(one: Marked): boolean {
  if (!isTyped(one)) return false
  if (/(^|\s)(cc-csc|one-time-code)(\s|$)/i.test(read(one, 'autocomplete'))) return true
  return /\b(cvv2?|cvc2?|csc)\b|card[-_ ]?(pin|cv[vc]|security)|sms[-_ ]?code|код из (смс|sms)/i.test(words(one))
}

/** The service's own way in: its script or its iframe. */
export function isDoor({ tag, attributes }: Marked): boolean {
  const src = attributes['src'] ?? ''
  return (tag === 'script' && isSdk(src)) || (tag === 'iframe' && /\/form\/v1([/?#]|$)/.test(src))
}

/** Whether a script at this address is the service's SDK. */
export function isSdk(address: string): boolean {
  return /\/sdk\/[^/]+\/tessera\.m?js([?#]|$)/.test(address)
}

/** Whether a script's text calls what only the service's form may call. */
export function callsCards(text: string): boolean {
  return /['"`]cards\.(create|get_verify_code|verify)['"`]/.test(text)
}

/** A script that a browser runs, rather than a block of facts. */
export function isScript(one: Marked): boolean {
  return one.tag === 'script' && /^(|module|(text|application)\/(x-)?(java|ecma)script.*)$/i.test(read(one, 'type').trim())
}

/** A box by which somebody agrees that a card is kept. */
export function isConsentBox(one: Marked, label: string): boolean {
  const isBox = one.tag === 'input' && read(one, 'type').toLowerCase() === 'checkbox'
  return isBox && /consent|agree|save|remember|согла|сохран|запомн|rozi|saqla/i.test(`${words(one)} ${label}`)
}

/** The element as a report shows it: what it is known by, without the rest. */
export function showElement(one: Marked): string {
  const known = ['type', 'id', 'name', 'autocomplete', 'placeholder', 'action', 'formaction', 'method', 'src', 'checked']
  const told = known.filter((name) => Object.hasOwn(one.attributes, name)).map((name) => ` ${name}="${read(one, name).slice(0, 80)}"`)
  return `<${one.tag}${told.join('')}>`
}

function isTyped(one: Marked): boolean {
  const isField =
    ['input', 'textarea', 'select'].includes(one.tag) || (one.tag !== 'body' && Object.hasOwn(one.attributes, 'contenteditable'))
  return isField && !['hidden', 'checkbox', 'radio', 'submit', 'button', 'image', 'file'].includes(read(one, 'type').toLowerCase())
}

function words(one: Marked): string {
  return ['id', 'name', 'placeholder', 'aria-label', 'class', 'data-testid'].map((name) => read(one, name)).join(' ')
}

function read({ attributes }: Marked, name: string): string {
  return attributes[name] ?? ''
}
