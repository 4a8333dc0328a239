/** An element as both the source check and the browser check know it. */
export interface MarkupElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
}

/** Whether the input asks for a card's number, expiry or holder, judging by what browsers and people read about it. */
export function isCardInput(element: MarkupElement): boolean {
  if (!isTextField(element)) return false
  if (/(^|\s)cc-(number|exp|exp-month|exp-year|name)(\s|$)/i.test(attribute(element, 'autocomplete'))) return true
  return /card[-_ ]?(num|no\b|exp|holder)|cc[-_ ]?(num|exp)|\b(pan|cardpan)\b|номер карты|срок (действия )?карты|karta(ning)? (raqami|muddati)/i.test(
    labelsOf(element),
  )
}

/** Whether the input asks for the card number itself. The sandbox card is typed into such inputs. */
export function isNumberInput(element: MarkupElement): boolean {
  const labels = `${attribute(element, 'autocomplete')} ${attribute(element, 'id')} ${attribute(element, 'placeholder')}`
  return isCardInput(element) && !/exp|holder|name|срок|muddati/i.test(labels)
}

/** Whether the input asks for sensitive authentication data: a CVV, a PIN, or the code of an SMS. */
export function isSadInput(element: MarkupElement): boolean {
  if (!isTextField(element)) return false
  if (/(^|\s)(cc-csc|one-time-code)(\s|$)/i.test(attribute(element, 'autocomplete'))) return true
  return /\b(cvv2?|cvc2?|csc)\b|card[-_ ]?(pin|cv[vc]|security)|sms[-_ ]?code|код из (смс|sms)/i.test(labelsOf(element))
}

/** Whether the element embeds the service's card form: its SDK script or its iframe. */
export function isFormEmbed({ tag, attributes }: MarkupElement): boolean {
  const src = attributes['src'] ?? ''
  return (tag === 'script' && isSdkAddress(src)) || (tag === 'iframe' && /\/form\/v1([/?#]|$)/.test(src))
}

/** Whether a script at this address is the service's SDK. */
export function isSdkAddress(address: string): boolean {
  return /\/sdk\/[^/]+\/tessera\.m?js([?#]|$)/.test(address)
}

/** Whether a script calls methods that only the service's form may call. */
export function callsCardMethods(text: string): boolean {
  return /['"`]cards\.(create|get_verify_code|verify)['"`]/.test(text)
}

/** Whether a browser would execute this script element (a data block, such as JSON, is not executed). */
export function isScript(element: MarkupElement): boolean {
  return element.tag === 'script' && /^(|module|(text|application)\/(x-)?(java|ecma)script.*)$/i.test(attribute(element, 'type').trim())
}

/** Whether the checkbox asks for consent to store the card. */
export function isConsentBox(element: MarkupElement, label: string): boolean {
  const isCheckbox = element.tag === 'input' && attribute(element, 'type').toLowerCase() === 'checkbox'
  return isCheckbox && /consent|agree|save|remember|согла|сохран|запомн|rozi|saqla/i.test(`${labelsOf(element)} ${label}`)
}

/** The element as a report shows it: its identifying attributes, without the rest. */
export function formatElement(element: MarkupElement): string {
  const names = ['type', 'id', 'name', 'autocomplete', 'placeholder', 'action', 'formaction', 'method', 'src', 'checked']
  const attributes = names
    .filter((name) => Object.hasOwn(element.attributes, name))
    .map((name) => ` ${name}="${attribute(element, name).slice(0, 80)}"`)
  return `<${element.tag}${attributes.join('')}>`
}

function isTextField(element: MarkupElement): boolean {
  const isEditable = element.tag !== 'body' && Object.hasOwn(element.attributes, 'contenteditable')
  const isField = ['input', 'textarea', 'select'].includes(element.tag) || isEditable
  return isField && !['hidden', 'checkbox', 'radio', 'submit', 'button', 'image', 'file'].includes(attribute(element, 'type').toLowerCase())
}

/** Everything that names the field to people or programs. */
function labelsOf(element: MarkupElement): string {
  return ['id', 'name', 'placeholder', 'aria-label', 'class', 'data-testid'].map((name) => attribute(element, name)).join(' ')
}

function attribute({ attributes }: MarkupElement, name: string): string {
  return attributes[name] ?? ''
}
