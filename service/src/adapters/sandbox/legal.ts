import type { Language } from '@tessera/contract/profile'

import type { Disclosure } from '../../domain/consents/disclosure-text.ts'
import { textPage, type LegalPages } from '../../plain-page.ts'

/** The disclosure of the test environment. In production the provider supplies its own. */
export const sandboxDisclosure: Disclosure = Object.freeze({
  version: 'test-1',
  en: 'I agree that my card is kept by the payment provider, as a token that only this shop can use, and charged for my later purchases here. I can withdraw this at any time in the shop.',
  ru: 'Я согласен, что платёжный провайдер сохранит мою карту в виде токена, которым может пользоваться только этот магазин, и будет списывать с неё за мои следующие покупки здесь. Я могу отозвать согласие в магазине в любое время.',
  uz: 'Kartam toʻlov provayderida faqat shu doʻkon foydalana oladigan token shaklida saqlanishiga va bu yerdagi keyingi xaridlarim uchun undan pul yechilishiga roziman. Rozilikni istalgan vaqtda doʻkonda bekor qilishim mumkin.',
})

/** Terms and privacy pages of the test environment. */
export const sandboxLegal: LegalPages = Object.freeze({
  pages: new Map([
    ['/form/terms', (language: string) => page('/form/terms', terms, language)],
    ['/form/privacy', (language: string) => page('/form/privacy', privacy, language)],
  ]),
})

type Text = Readonly<Record<Language, { readonly title: string; readonly lines: readonly string[] }>>

function page(path: string, text: Text, requestedLanguage: string) {
  const language: Language = requestedLanguage === 'ru' || requestedLanguage === 'uz' ? requestedLanguage : 'en'
  const { title, lines } = text[language]
  return textPage({ title, body: lines.map((line) => `<p>${line}</p>`).join(''), language, path })
}

const terms: Text = {
  en: {
    title: 'Terms of the test environment',
    lines: [
      'This is a test environment. Its cards belong to nobody, and nothing is charged.',
      'Use the public test cards only. Do not enter a real card.',
      'A token belongs to the merchant it was created for, and cannot be used anywhere else.',
    ],
  },
  ru: {
    title: 'Условия тестовой среды',
    lines: [
      'Это тестовая среда. Её карты никому не принадлежат, деньги не списываются.',
      'Используйте только публичные тестовые карты. Не вводите настоящую карту.',
      'Токен принадлежит мерчанту, для которого он создан, и больше нигде не действует.',
    ],
  },
  uz: {
    title: 'Sinov muhiti shartlari',
    lines: [
      'Bu test muhiti. Undagi kartalar hech kimga tegishli emas, pul yechilmaydi.',
      'Faqat ochiq test kartalaridan foydalaning. Haqiqiy kartani kiritmang.',
      'Token faqat u yaratilgan merchantga tegishli va boshqa joyda ishlamaydi.',
    ],
  },
}

const privacy: Text = {
  en: {
    title: 'Privacy in the test environment',
    lines: [
      'The card number goes to the payment provider, not to the shop. It is encrypted at once and shown to nobody.',
      'The shop receives a token, the masked number and the expiry date.',
      'Without your agreement the card is deleted within 24 hours; with it, when you or the shop remove it, or 30 days after it expires.',
    ],
  },
  ru: {
    title: 'Конфиденциальность в тестовой среде',
    lines: [
      'Номер карты получает платёжный провайдер, а не магазин. Он сразу шифруется и никому не показывается.',
      'Магазин получает токен, маскированный номер и срок действия.',
      'Без вашего согласия карта удаляется в течение 24 часов; с согласием — когда вы или магазин её удалите либо через 30 дней после окончания срока её действия.',
    ],
  },
  uz: {
    title: 'Sinov muhitida maxfiylik',
    lines: [
      'Karta raqami doʻkonga emas, toʻlov provayderiga boradi. U darhol shifrlanadi va hech kimga koʻrsatilmaydi.',
      'Doʻkon token, maskalangan raqam va amal qilish muddatini oladi.',
      'Roziligingizsiz karta 24 soat ichida oʻchiriladi; rozilik bilan — siz yoki doʻkon uni oʻchirganda yoxud muddati tugaganidan 30 kun oʻtgach.',
    ],
  },
}
