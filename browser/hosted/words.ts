/** The languages of the page, the specification's first. */
export const languages = ['uz', 'ru', 'en'] as const
export type Language = (typeof languages)[number]

/** What the page says around the form. */
export interface HostedWords {
  readonly title: string
  readonly again: string
  readonly cancel: (host: string) => string
  readonly backTo: (host: string) => string
  readonly language: string
  readonly endings: Readonly<Record<Ending, (shop: string) => string>>
}

/** Why there is no form on the page any more, or never was. */
export type Ending = 'missing' | 'unknown' | 'offline' | 'ended' | 'usedUp' | 'cancelled' | 'done'

export function wordsIn(language: Language): HostedWords {
  return words[language]
}

/** The first of a browser's languages that the page speaks; the specification's first where there is none. */
export function preferredOf(asked: readonly string[]): Language {
  const spoken = asked.map((tag) => languages.find((language) => tag.toLowerCase().split('-')[0] === language))
  return spoken.find((language) => language !== undefined) ?? 'uz'
}

const words: Readonly<Record<Language, HostedWords>> = {
  uz: {
    title: 'Karta qoʻshish',
    again: 'Qayta urinish',
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
    again: 'Попробовать ещё раз',
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
    again: 'Try again',
    cancel: (host) => `Cancel and go back to ${host}`,
    backTo: (host) => `Go back to ${host}`,
    language: 'Language',
    endings: {
      missing: (shop) => `This page opens once from its link. Open the link from ${shop} again.`,
      unknown: (shop) => `This link is not right. Ask ${shop} for a new one.`,
      offline: () => 'The service did not answer. Check your connection and try again.',
      ended: (shop) => `The time of this link is over. Nothing was kept; ask ${shop} for a new one.`,
      usedUp: (shop) => `There are no more tries with this link. Ask ${shop} for a new one.`,
      cancelled: () => 'No card was added.',
      done: () => 'The card was added. Taking you back to the shop…',
    },
  },
}
