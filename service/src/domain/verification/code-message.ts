import type { Language } from '@tessera/contract/envelope'

import { fitSmsText, type TextOfNames } from '../sms/fit-text.ts'

export interface CodeMessage {
  readonly code: string
  /** The long mask; the message shows its last four digits. */
  readonly maskedPan: string
  readonly lifetimeSeconds: number
  readonly providerName: string
  /** Of the form; null without one. */
  readonly formHost: string | null
  /** Of the page that embeds the form; null when it is not known, and when the form is a page of its own. */
  readonly shopHost: string | null
}

/**
 * The text of the SMS: one segment in English and Uzbek, two at most in Russian. It is shortened where the names of the provider and the hosts leave no room.
 *
 * Its last line binds the code to the page that asks for it, if there is one, so that a browser offers it only there (WICG, "Origin-bound one-time codes
 * delivered via SMS"): `@form.example #123456` for the form as a page of its own, `@shop.example #123456 @form.example` for the form in a shop's page.
 */
export function formatCodeMessage(language: Language, text: CodeMessage): string {
  const bodies = templates[language].map(
    (template) =>
      ([name = '']: readonly string[]) =>
        template(name, text),
  )
  const line = formatLastLine(text)
  const bound =
    line === null
      ? []
      : bodies.map(
          (body): TextOfNames =>
            (names) =>
              `${body(names)}\n\n${line}`,
        )
  return fitSmsText(language, [text.providerName], [...bound, ...bodies])
}

function formatLastLine({ code, formHost, shopHost }: CodeMessage): string | null {
  if (formHost === null) return null
  return shopHost === null || shopHost === formHost ? `@${formHost} #${code}` : `@${shopHost} #${code} @${formHost}`
}

type CodeTemplate = (providerName: string, text: CodeMessage) => string

/** From the longest to the shortest. The Uzbek text avoids U+02BB: one character outside GSM 03.38 halves the length of an SMS segment. */
const templates: Readonly<Record<Language, readonly CodeTemplate[]>> = {
  en: [
    (name, { code, maskedPan, lifetimeSeconds }) =>
      `${name}: code ${code} for card *${maskedPan.slice(-4)}, valid for ${lifetimeSeconds} s. Do not share it.`,
    (name, { code, maskedPan }) => `${name}: code ${code}, card *${maskedPan.slice(-4)}. Do not share it.`,
    (name, { code }) => `${name}: code ${code}`,
  ],
  ru: [
    (name, { code, maskedPan, lifetimeSeconds }) =>
      `${name}: код ${code} для карты *${maskedPan.slice(-4)}, действует ${lifetimeSeconds} с. Никому его не сообщайте.`,
    (name, { code, maskedPan }) => `${name}: код ${code}, карта *${maskedPan.slice(-4)}. Никому не сообщайте.`,
    (name, { code }) => `${name}: код ${code}`,
  ],
  uz: [
    (name, { code, maskedPan, lifetimeSeconds }) =>
      `${name}: *${maskedPan.slice(-4)} karta uchun kod ${code}, ${lifetimeSeconds} s amal qiladi. Uni hech kimga aytmang.`,
    (name, { code, maskedPan }) => `${name}: kod ${code}, karta *${maskedPan.slice(-4)}. Hech kimga aytmang.`,
    (name, { code }) => `${name}: kod ${code}`,
  ],
}
