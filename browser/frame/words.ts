import { formLabels } from '@tessera/contract/frame'

import type { Facts, Words } from './facts.ts'
import type { Texts } from './texts.ts'
import { fieldNames, type View } from './view.ts'

/** Writes every word that does not change within a step. Labels may be the merchant's; what the law wants said may not. */
export function writeWords(
  view: View,
  facts: Facts,
  { locale, texts, disclosure }: Words,
  labels: Readonly<Record<string, unknown>>,
): Texts {
  const words = { ...texts }
  for (const name of formLabels) {
    const label = labels[name]
    if (isLabel(name, label)) words[name] = label
  }
  document.documentElement.lang = locale
  for (const name of fieldNames) view.fields[name].label.textContent = words[name]
  for (const name of ['submit', 'verify', 'back', 'done', 'cancel'] as const) view[name].textContent = words[name]
  view.fields.expiry.input.placeholder = words.expiryShape
  view.consent.text.textContent = disclosure.text
  const shop = facts.merchantName
  view.goesTo.textContent = words.goesTo.replace('{0}', () => facts.providerName).replace('{1}', () => shop)
  view.poweredBy.textContent = `${words.poweredBy} ${facts.providerName}`
  for (const [link, text, address] of [
    [view.consent.terms, words.terms, facts.termsUrl],
    [view.terms, words.terms, facts.termsUrl],
    [view.privacy, words.privacy, facts.privacyUrl],
  ] as const) {
    link.textContent = text
    link.setAttribute('aria-label', `${text} (${words.opens})`)
    link.href = address.startsWith('/') ? `${address}?locale=${locale}` : address
  }
  return words
}

/** Whether a label is one of the page's to word, and says something, and not too much. */
export function isLabel(name: string, label: unknown): label is string {
  return formLabels.some((known) => known === name) && typeof label === 'string' && label.length <= 60 && label.trim() !== ''
}
