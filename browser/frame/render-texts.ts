import { formLabels, type FrameOptions } from '@tessera/contract/frame'

import type { FormSettings, LocalizedTexts } from './form-settings.ts'
import type { FormTexts } from './texts.ts'
import type { FormView } from './view.ts'

/** The texts with the merchant's own labels. The merchant may replace labels, not legal texts. */
export function withLabels(defaults: FormTexts, { labels = {}, layout = 'stacked' }: FrameOptions): FormTexts {
  const own = formLabels.flatMap((name) => (isValidLabel(name, labels[name]) ? [[name, labels[name]]] : []))
  // Beside the number there is room for one word.
  const expiry = layout === 'stacked' ? defaults.expiry : defaults.expiryShort
  return { ...defaults, expiry, ...(Object.fromEntries(own) as Partial<FormTexts>) }
}

/** Writes the texts of the first step, and of what stands below every step. */
export function renderTexts(view: FormView, settings: FormSettings, { locale, disclosure }: LocalizedTexts, texts: FormTexts): void {
  document.documentElement.lang = locale
  for (const name of ['number', 'expiry'] as const) view[name].label.textContent = texts[name]
  for (const name of ['submit', 'cancel'] as const) view[name].textContent = texts[name]
  view.expiry.input.placeholder = texts.expiryShape
  view.test.textContent = 'TEST'
  view.test.title = texts.testMode
  view.test.hidden = settings.environment !== 'test'
  view.consent.text.textContent = disclosure.text
  view.goesTo.textContent = texts.goesTo.replace('{0}', () => settings.providerName).replace('{1}', () => settings.merchantName)
  for (const [link, text, address] of [
    [view.poweredBy, `${texts.poweredBy} ${settings.providerName}`, settings.providerUrl],
    [view.consent.terms, texts.terms, settings.termsUrl],
    [view.terms, texts.terms, settings.termsUrl],
    [view.privacy, texts.privacy, settings.privacyUrl],
  ] as const) {
    link.textContent = text
    link.setAttribute('aria-label', `${text} (${texts.opens})`)
    link.href = address.startsWith('/') ? `${address}?locale=${locale}` : address
  }
}

/** The names of labels that are not valid. An empty text counts as absent. */
export function listInvalidLabels(labels: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(labels).flatMap(([name, label]) => ((label ?? '') === '' || isValidLabel(name, label) ? [] : [`labels.${name}`]))
}

/** Whether the merchant may replace this label, with this text: with a letter or digit, so that no button is empty, and not too long. */
function isValidLabel(name: string, label: unknown): label is string {
  return formLabels.some((known) => known === name) && typeof label === 'string' && label.length <= 60 && /[\p{L}\p{N}]/u.test(label)
}
