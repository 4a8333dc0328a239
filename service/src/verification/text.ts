import type { Language } from '@tessera/contract/envelope'

export interface CodeText {
  readonly code: string
  /** The long mask; the message shows its last four digits. */
  readonly maskedPan: string
  readonly lifeSeconds: number
  readonly providerName: string
  readonly formHost: string | null
}

/**
 * The message with the code. Its last line binds the code to the form's host, where there is one, so that a browser offers it there only
 * (WebOTP, "Origin-bound one-time codes delivered via SMS").
 */
export function codeText(language: Language, text: CodeText): string {
  const said = templates[language](text)
  return text.formHost === null ? said : `${said}\n\n@${text.formHost} #${text.code}`
}

/** Uzbek without U+02BB: one letter outside GSM 03.38 would halve what fits into one message. */
const templates = {
  en: ({ providerName, code, maskedPan, lifeSeconds }) =>
    `${providerName}: code ${code} for card *${maskedPan.slice(-4)}, good for ${lifeSeconds} s. Tell it to nobody.`,
  ru: ({ providerName, code, maskedPan, lifeSeconds }) =>
    `${providerName}: код ${code} для карты *${maskedPan.slice(-4)}, действует ${lifeSeconds} с. Никому его не сообщайте.`,
  uz: ({ providerName, code, maskedPan, lifeSeconds }) =>
    `${providerName}: *${maskedPan.slice(-4)} karta uchun kod ${code}, ${lifeSeconds} s amal qiladi. Uni hech kimga aytmang.`,
} as const satisfies Record<Language, (text: CodeText) => string>
