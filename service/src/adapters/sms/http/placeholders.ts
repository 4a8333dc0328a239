/** The values that a template of an HTTP gateway may name as `{phone}`. `coding` is 0 for a text in the default alphabet of SMS, 2 for UCS-2. */
const templateVariables = [
  'phone',
  'text',
  'messageId',
  'gatewayMessageId',
  'lifetimeSeconds',
  'coding',
  'sender',
  'username',
  'password',
  'token',
] as const

export type TemplateVariable = (typeof templateVariables)[number]
export type SmsTemplateValues = Readonly<Partial<Record<TemplateVariable, string>>>

const placeholder = /\{([A-Za-z]+)\}/g

/** The names in a text that are no variable of templates. */
export function findUnknownVariables(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name).filter((name) => !isVariable(name))
}

/** The variables that a text names. */
export function findVariables(text: string): TemplateVariable[] {
  return [...text.matchAll(placeholder)].map(([, name = '']) => name).filter(isVariable)
}

/** Replaces every `{name}` by its value, escaped for where it stands; the value itself is not searched again. */
export function fillPlaceholders(text: string, values: SmsTemplateValues, escape: (value: string) => string = (value) => value): string {
  return text.replaceAll(placeholder, (whole, name: string) => (isVariable(name) ? escape(values[name] ?? '') : whole))
}

function isVariable(name: string): name is TemplateVariable {
  return (templateVariables as readonly string[]).includes(name)
}

/** For the text and the attributes of an XML document; characters that XML 1.0 forbids are left out. */
export function escapeXml(value: string): string {
  return value
    .replaceAll(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`)
}
