import type { Language } from '@tessera/contract/profile'

/** The languages of the page, in the specification's order. */
export const pageLanguages = ['uz', 'ru', 'en'] as const satisfies readonly Language[]

/** The texts of the page around the form. */
export interface HostedTexts {
  /** With an amount, without one, and with saved cards to choose from. */
  readonly payTitle: string
  readonly addTitle: string
  readonly chooseTitle: string
  readonly order: (order: string) => string
  /** The form's buttons, when there is an amount. */
  readonly payButton: (amount: string) => string
  readonly confirmButton: (amount: string) => string
  readonly test: string
  readonly retry: string
  readonly cancel: (shop: string) => string
  readonly backTo: (shop: string) => string
  readonly language: string
  readonly poweredBy: string
  readonly opens: string
  readonly endings: Readonly<Record<EndReason, EndingText>>
}

/** What happened, and what to do. */
export interface EndingText {
  readonly title: string
  readonly text: (shop: string) => string
}

/** Why the page shows no form, or no longer shows it. */
export type EndReason = 'missing' | 'unknown' | 'offline' | 'ended' | 'usedUp' | 'cancelled' | 'done' | 'picked'

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
    payTitle: 'Karta bilan toʻlash',
    addTitle: 'Karta qoʻshish',
    chooseTitle: 'Kartani tanlash',
    order: (order) => `Buyurtma ${order}`,
    payButton: (amount) => `${amount} toʻlash`,
    confirmButton: (amount) => `${amount} toʻlashni tasdiqlash`,
    test: 'Test muhiti: pul yechilmaydi',
    retry: 'Qayta urinish',
    cancel: (shop) => `Bekor qilib, ${shop} ga qaytish`,
    backTo: (shop) => `${shop} ga qaytish`,
    language: 'Til',
    poweredBy: 'Xizmat koʻrsatuvchi:',
    opens: 'yangi oynada ochiladi',
    endings: {
      missing: { title: 'Havola topilmadi', text: (shop) => `Bu sahifa havola orqali ochiladi. ${shop} bergan havolani yana oching.` },
      unknown: { title: 'Havola notoʻgʻri', text: (shop) => `Bu havola ishlamaydi. ${shop} dan yangisini soʻrang.` },
      offline: { title: 'Xizmat javob bermadi', text: () => 'Internetni tekshirib, qayta urining. Hech narsa yoʻqolmadi.' },
      ended: {
        title: 'Havola muddati tugadi',
        text: (shop) => `Hech narsa saqlanmadi va pul yechilmadi. ${shop} dan yangi havola soʻrang.`,
      },
      usedUp: {
        title: 'Urinishlar tugadi',
        text: (shop) => `Bu havola bilan boshqa urinib boʻlmaydi. ${shop} dan yangisini soʻrang.`,
      },
      cancelled: { title: 'Bekor qilindi', text: () => 'Karta qoʻshilmadi va pul yechilmadi.' },
      done: { title: 'Karta tasdiqlandi', text: (shop) => `${shop} ga qaytyapsiz…` },
      picked: { title: 'Karta tanlandi', text: (shop) => `${shop} ga qaytyapsiz…` },
    },
  },
  ru: {
    payTitle: 'Оплата картой',
    addTitle: 'Добавить карту',
    chooseTitle: 'Выбор карты',
    order: (order) => `Заказ ${order}`,
    payButton: (amount) => `Оплатить ${amount}`,
    confirmButton: (amount) => `Подтвердить ${amount}`,
    test: 'Тестовая среда: деньги не списываются',
    retry: 'Попробовать ещё раз',
    cancel: (shop) => `Отменить и вернуться на ${shop}`,
    backTo: (shop) => `Вернуться на ${shop}`,
    language: 'Язык',
    poweredBy: 'Работает на',
    opens: 'откроется в новой вкладке',
    endings: {
      missing: { title: 'Нет ссылки', text: (shop) => `Эта страница открывается по ссылке. Откройте ссылку от «${shop}» ещё раз.` },
      unknown: { title: 'Ссылка неверна', text: (shop) => `Эта ссылка не работает. Попросите у «${shop}» новую.` },
      offline: { title: 'Сервис не ответил', text: () => 'Проверьте интернет и попробуйте ещё раз. Ничего не потеряно.' },
      ended: { title: 'Время ссылки вышло', text: (shop) => `Ничего не сохранено, деньги не списаны. Попросите у «${shop}» новую ссылку.` },
      usedUp: { title: 'Попытки кончились', text: (shop) => `По этой ссылке больше нельзя пробовать. Попросите у «${shop}» новую.` },
      cancelled: { title: 'Отменено', text: () => 'Карта не добавлена, деньги не списаны.' },
      done: { title: 'Карта подтверждена', text: (shop) => `Возвращаем вас на ${shop}…` },
      picked: { title: 'Карта выбрана', text: (shop) => `Возвращаем вас на ${shop}…` },
    },
  },
  en: {
    payTitle: 'Pay by card',
    addTitle: 'Add a card',
    chooseTitle: 'Choose a card',
    order: (order) => `Order ${order}`,
    payButton: (amount) => `Pay ${amount}`,
    confirmButton: (amount) => `Confirm ${amount}`,
    test: 'Test environment: no money is taken',
    retry: 'Try again',
    cancel: (shop) => `Cancel and go back to ${shop}`,
    backTo: (shop) => `Go back to ${shop}`,
    language: 'Language',
    poweredBy: 'Powered by',
    opens: 'opens in a new tab',
    endings: {
      missing: { title: 'The link is missing', text: (shop) => `This page is opened by a link. Open the link from ${shop} again.` },
      unknown: { title: 'This link is not valid', text: (shop) => `Ask ${shop} for a new link.` },
      offline: { title: 'The service did not respond', text: () => 'Check your connection and try again. Nothing is lost.' },
      ended: { title: 'This link has expired', text: (shop) => `Nothing was saved, and nothing was charged. Ask ${shop} for a new link.` },
      usedUp: { title: 'No attempts left', text: (shop) => `This link cannot be used again. Ask ${shop} for a new one.` },
      cancelled: { title: 'Canceled', text: () => 'No card was added, and nothing was charged.' },
      done: { title: 'Your card is confirmed', text: (shop) => `Taking you back to ${shop}…` },
      picked: { title: 'Your card is selected', text: (shop) => `Taking you back to ${shop}…` },
    },
  },
}
