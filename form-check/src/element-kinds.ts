/** An element as both the source check and the browser check know it. */
export interface MarkupElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
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

/** The element as a report shows it: its identifying attributes, without the rest. */
export function formatElement(element: MarkupElement): string {
  const names = ['type', 'id', 'name', 'autocomplete', 'aria-label', 'placeholder', 'action', 'formaction', 'method', 'src', 'checked']
  const attributes = names
    .filter((name) => Object.hasOwn(element.attributes, name))
    .map((name) => ` ${name}="${attribute(element, name).slice(0, 80)}"`)
  if (Object.hasOwn(element.attributes, 'contenteditable')) attributes.push(' contenteditable')
  return `<${element.tag}${attributes.join('')}>`
}

function attribute({ attributes }: MarkupElement, name: string): string {
  return attributes[name] ?? ''
}
