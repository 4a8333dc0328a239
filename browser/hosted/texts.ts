import type { Language } from '@tessera/contract/profile'

/** The languages of the page, in the specification's order. */
export const pageLanguages = ['uz', 'ru', 'en'] as const satisfies readonly Language[]

/** The texts of the page around the form. */
export interface HostedTexts {
  readonly title: string
  readonly retry: string
  readonly cancel: (host: string) => string
  readonly backTo: (host: string) => string
  readonly language: string
  readonly endings: Readonly<Record<EndReason, (shop: string) => string>>
}

/** Why the page shows no form, or no longer shows it. */
export type EndReason = 'missing' | 'unknown' | 'offline' | 'ended' | 'usedUp' | 'cancelled' | 'done'

export function hostedTextsIn(language: Language): HostedTexts {
  return texts[language]
}

/** The first of the browser's languages that the page has; Uzbek when it has none of them. */
export function preferredLanguage(browserLanguages: readonly string[]): Language {
  const supported = browserLanguages.map((tag) => pageLanguages.find((language) => tag.toLowerCase().split('-')[0] === language))
  return supported.find((language) => language !== undefined) ?? 'uz'
}

const texts: Readonly<Record<Language, HostedTexts>> = {
  uz: {
    title: 'Karta qoʻshish',
    retry: 'Qayta urinish',
    cancel: (host) => `Bekor qilib, ${host} saytiga qaytish`,
    backTo: (host) => `${host} saytiga qaytish`,
    language: 'Til',
    endings: {
      missing: (shop) => `Bu sahifa havola orqali bir marta ochiladi. ${shop} bergan havolani yana oching.`,
      unknown: (shop) => `Bu havola toʻgʻri emas. ${shop} dan yangisini soʻrang.`,
      offline: () => 'Xizmat javob bermadi. Internetni tekshirib, qayta urining.',
      ended: (shop) => `Havolaning vaqti tugadi. Hech narsa saqlanmadi; ${shop} dan yangisini soʻrang.`,
      usedUp: (shop) => `Bu havola bilan boshqa urinib boʻlmaydi. ${shop} dan yangisini soʻrang.`,
      cancelled: () => 'Karta qoʻshish bekor qilindi.',
      done: () => 'Karta qoʻshildi. Doʻkonga qaytyapsiz…',
    },
  },
  ru: {
    title: 'Добавить карту',
    retry: 'Попробовать ещё раз',
    cancel: (host) => `Отменить и вернуться на ${host}`,
    backTo: (host) => `Вернуться на ${host}`,
    language: 'Язык',
    endings: {
      missing: (shop) => `Эта страница открывается по ссылке один раз. Откройте ссылку от «${shop}» ещё раз.`,
      unknown: (shop) => `Эта ссылка неверна. Попросите у «${shop}» новую.`,
      offline: () => 'Сервис не ответил. Проверьте интернет и попробуйте ещё раз.',
      ended: (shop) => `Время ссылки вышло. Ничего не сохранено; попросите у «${shop}» новую.`,
      usedUp: (shop) => `Попытки по этой ссылке кончились. Попросите у «${shop}» новую.`,
      cancelled: () => 'Добавление карты отменено.',
      done: () => 'Карта добавлена. Возвращаем вас в магазин…',
    },
  },
  en: {
    title: 'Add a card',
    retry: 'Try again',
    cancel: (host) => `Cancel and go back to ${host}`,
    backTo: (host) => `Go back to ${host}`,
    language: 'Language',
    endings: {
      missing: (shop) => `This page can be opened from its link only. Open the link from ${shop} again.`,
      unknown: (shop) => `This link is not valid. Ask ${shop} for a new one.`,
      offline: () => 'The service did not respond. Check your connection and try again.',
      ended: (shop) => `This link has expired. Nothing was saved. Ask ${shop} for a new one.`,
      usedUp: (shop) => `No attempts left with this link. Ask ${shop} for a new one.`,
      cancelled: () => 'No card was added.',
      done: () => 'The card was added. Taking you back to the shop…',
    },
  },
}
