import type { Language } from '@tessera/contract/envelope'

export interface CodeMessage {
  readonly code: string
  /** The long mask; the message shows its last four digits. */
  readonly maskedPan: string
  readonly lifetimeSeconds: number
  readonly providerName: string
  readonly formHost: string | null
}

/**
 * The text of the SMS. Its last line binds the code to the host of the form, if there is one, so that a browser offers it only there
 * (WebOTP, "Origin-bound one-time codes delivered via SMS").
 */
export function formatCodeMessage(language: Language, text: CodeMessage): string {
  const body = templates[language](text)
  return text.formHost === null ? body : `${body}\n\n@${text.formHost} #${text.code}`
}

/** The Uzbek text avoids U+02BB: one character outside GSM 03.38 halves the length of an SMS segment. */
const templates = {
  en: ({ providerName, code, maskedPan, lifetimeSeconds }) =>
    `${providerName}: code ${code} for card *${maskedPan.slice(-4)}, valid for ${lifetimeSeconds} s. Do not share it.`,
  ru: ({ providerName, code, maskedPan, lifetimeSeconds }) =>
    `${providerName}: код ${code} для карты *${maskedPan.slice(-4)}, действует ${lifetimeSeconds} с. Никому его не сообщайте.`,
  uz: ({ providerName, code, maskedPan, lifetimeSeconds }) =>
    `${providerName}: *${maskedPan.slice(-4)} karta uchun kod ${code}, ${lifetimeSeconds} s amal qiladi. Uni hech kimga aytmang.`,
} as const satisfies Record<Language, (text: CodeMessage) => string>
