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
  /** The host of the merchant's site. Beside a noun of its own, so that no language has to inflect it. */
  readonly cancel: (site: string) => string
  readonly backTo: (site: string) => string
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
    test: 'Sinov muhiti: pul yechilmaydi',
    retry: 'Qayta urinish',
    cancel: (site) => `Bekor qilib, ${site} saytiga qaytish`,
    backTo: (site) => `${site} saytiga qaytish`,
    language: 'Til',
    poweredBy: 'Xizmat koʻrsatuvchi:',
    opens: 'yangi varaqda ochiladi',
    endings: {
      missing: { title: 'Havola toʻliq emas', text: (shop) => `Bu sahifa havola orqali ochiladi. «${shop}» bergan havolani yana oching.` },
      unknown: { title: 'Havola yaroqsiz', text: (shop) => `«${shop}» doʻkonidan yangi havola soʻrang.` },
      offline: { title: 'Xizmat javob bermadi', text: () => 'Internetni tekshirib, qayta urining. Hech narsa yoʻqolmadi.' },
      ended: {
        title: 'Havola muddati tugadi',
        text: (shop) => `Karta saqlanmadi va pul yechilmadi. «${shop}» doʻkonidan yangi havola soʻrang.`,
      },
      usedUp: {
        title: 'Urinishlar tugadi',
        text: (shop) => `Bu havola endi ishlamaydi. «${shop}» doʻkonidan yangisini soʻrang.`,
      },
      cancelled: { title: 'Bekor qilindi', text: () => 'Karta qoʻshilmadi va pul yechilmadi.' },
      done: { title: 'Karta tasdiqlandi', text: (site) => `Sizni ${site} saytiga qaytaryapmiz…` },
      picked: { title: 'Karta tanlandi', text: (site) => `Sizni ${site} saytiga qaytaryapmiz…` },
    },
  },
  ru: {
    payTitle: 'Оплата картой',
    addTitle: 'Добавление карты',
    chooseTitle: 'Выбор карты',
    order: (order) => `Заказ ${order}`,
    payButton: (amount) => `Оплатить ${amount}`,
    confirmButton: (amount) => `Подтвердить оплату ${amount}`,
    test: 'Тестовая среда: деньги не списываются',
    retry: 'Попробовать ещё раз',
    cancel: (site) => `Отменить и вернуться на сайт ${site}`,
    backTo: (site) => `Вернуться на сайт ${site}`,
    language: 'Язык',
    poweredBy: 'Работает на',
    opens: 'откроется в новой вкладке',
    endings: {
      missing: {
        title: 'Ссылка неполная',
        text: (shop) => `Эта страница открывается по ссылке. Откройте ещё раз ссылку из магазина «${shop}».`,
      },
      unknown: { title: 'Ссылка недействительна', text: (shop) => `Попросите новую ссылку в магазине «${shop}».` },
      offline: { title: 'Сервис не ответил', text: () => 'Проверьте интернет и попробуйте ещё раз. Ничего не потеряно.' },
      ended: {
        title: 'Срок действия ссылки истёк',
        text: (shop) => `Карта не сохранена, деньги не списаны. Попросите новую ссылку в магазине «${shop}».`,
      },
      usedUp: { title: 'Попытки закончились', text: (shop) => `Эта ссылка больше не действует. Попросите новую в магазине «${shop}».` },
      cancelled: { title: 'Отменено', text: () => 'Карта не добавлена, деньги не списаны.' },
      done: { title: 'Карта подтверждена', text: (site) => `Возвращаем вас на сайт ${site}…` },
      picked: { title: 'Карта выбрана', text: (site) => `Возвращаем вас на сайт ${site}…` },
    },
  },
  en: {
    payTitle: 'Pay by card',
    addTitle: 'Add a card',
    chooseTitle: 'Choose a card',
    order: (order) => `Order ${order}`,
    payButton: (amount) => `Pay ${amount}`,
    confirmButton: (amount) => `Confirm ${amount}`,
    test: 'Test environment: nothing is charged',
    retry: 'Try again',
    cancel: (site) => `Cancel and go back to ${site}`,
    backTo: (site) => `Go back to ${site}`,
    language: 'Language',
    poweredBy: 'Powered by',
    opens: 'opens in a new tab',
    endings: {
      missing: { title: 'The link is incomplete', text: (shop) => `This page is opened by a link. Open the link from ${shop} again.` },
      unknown: { title: 'This link is not valid', text: (shop) => `Ask ${shop} for a new link.` },
      offline: { title: 'The service did not respond', text: () => 'Check your connection and try again. Nothing is lost.' },
      ended: {
        title: 'This link has expired',
        text: (shop) => `The card was not saved, and nothing was charged. Ask ${shop} for a new link.`,
      },
      usedUp: { title: 'No attempts left', text: (shop) => `This link cannot be used again. Ask ${shop} for a new one.` },
      cancelled: { title: 'Canceled', text: () => 'No card was added, and nothing was charged.' },
      done: { title: 'Your card is confirmed', text: (site) => `Taking you back to ${site}…` },
      picked: { title: 'Your card is selected', text: (site) => `Taking you back to ${site}…` },
    },
  },
}
