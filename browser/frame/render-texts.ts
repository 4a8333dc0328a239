import { formLabels } from '@tessera/contract/frame'

import type { FormSettings, LocalizedTexts } from './form-settings.ts'
import type { FormTexts } from './texts.ts'
import { fieldNames, type FormView } from './view.ts'

/** Writes every text that does not change within a step, and returns the texts in use. The merchant may replace labels, not legal texts. */
export function renderTexts(
  view: FormView,
  settings: FormSettings,
  { locale, texts: defaults, disclosure }: LocalizedTexts,
  labels: Readonly<Record<string, unknown>>,
): FormTexts {
  const texts = { ...defaults }
  for (const name of formLabels) {
    const label = labels[name]
    if (isValidLabel(name, label)) texts[name] = label
  }
  document.documentElement.lang = locale
  for (const name of fieldNames) view.fields[name].label.textContent = texts[name]
  for (const name of ['submit', 'verify', 'back', 'done', 'cancel'] as const) view[name].textContent = texts[name]
  view.fields.expiry.input.placeholder = texts.expiryShape
  view.codeHint.textContent = texts.codeLetters
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
  return texts
}

/** Whether the merchant may replace this label, with this text: not blank, and not too long. */
export function isValidLabel(name: string, label: unknown): label is string {
  return formLabels.some((known) => known === name) && typeof label === 'string' && label.length <= 60 && label.trim() !== ''
}
