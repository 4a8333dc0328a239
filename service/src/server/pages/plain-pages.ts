import { errors } from '@tessera/contract/errors'
import { formReasons, type FormReason } from '@tessera/contract/form-reasons'
import type { Language } from '@tessera/contract/profile'

import { escapeText, textPage, type LegalPage } from '../../plain-page.ts'

type TranslatedText = Readonly<Record<Language, string>>

interface Refusal {
  readonly status: number
  readonly title: TranslatedText
  /** For the cardholder. */
  readonly text: TranslatedText
  /** For the developer of the page; null where there is nothing to do. */
  readonly detail: TranslatedText | null
}

const linkText: TranslatedText = {
  en: 'Go back to the shop and open its link again.',
  ru: 'Вернитесь в магазин и откройте его ссылку ещё раз.',
  uz: 'Doʻkonga qaytib, havolasini yana oching.',
}

/** Why a page of the form is not shown. */
const refusals = {
  merchantMissing: {
    status: 400,
    title: { en: 'No merchant', ru: 'Не указан мерчант', uz: 'Merchant koʻrsatilmagan' },
    text: linkText,
    detail: {
      en: 'The URL needs ?merchant=<24 hex digits>&origin=<origin of your page>. The SDK builds it: new Tessera.CardForm({ merchant }).',
      ru: 'В адресе нужны ?merchant=<24 шестнадцатеричные цифры>&origin=<origin вашей страницы>. Его строит SDK: new Tessera.CardForm({ merchant }).',
      uz: 'Manzilda ?merchant=<24 ta oʻn oltilik raqam>&origin=<sahifangiz origin> kerak. Uni SDK tuzadi: new Tessera.CardForm({ merchant }).',
    },
  },
  originMissing: {
    status: 400,
    title: { en: 'No origin', ru: 'Не указан origin', uz: 'Origin koʻrsatilmagan' },
    text: linkText,
    detail: {
      en: 'The URL needs origin=https://shop.example, the value of location.origin: scheme, host and port, without a path.',
      ru: 'В адресе нужен origin=https://shop.example, значение location.origin: схема, хост и порт, без пути.',
      uz: 'Manzilda origin=https://shop.example kerak, yaʼni location.origin qiymati: sxema, xost va port, yoʻlsiz.',
    },
  },
  merchantUnknown: {
    status: 404,
    title: { en: 'Unknown merchant', ru: 'Мерчант не найден', uz: 'Merchant topilmadi' },
    text: linkText,
    detail: {
      en: 'No merchant has this id in this environment. Test and production have different ids.',
      ru: 'В этой среде нет мерчанта с таким идентификатором. В тестовой и рабочей среде они разные.',
      uz: 'Bu muhitda bunday identifikatorli merchant yoʻq. Sinov va ish muhitida ular har xil.',
    },
  },
  originNotRegistered: {
    status: 403,
    title: { en: 'Origin not registered', ru: 'Origin не зарегистрирован', uz: 'Origin roʻyxatdan oʻtmagan' },
    text: {
      en: 'The card form is not set up for this page. Tell the shop.',
      ru: 'Форма карты не настроена для этой страницы. Сообщите магазину.',
      uz: 'Karta formasi bu sahifa uchun sozlanmagan. Doʻkonga xabar bering.',
    },
    detail: {
      en: 'The merchant has not registered the origin of this page: add it with tessera merchants set <merchant> --origins, or ask the provider to.',
      ru: 'Мерчант не зарегистрировал origin этой страницы: добавьте его командой tessera merchants set <merchant> --origins или попросите провайдера.',
      uz: 'Merchant bu sahifaning origin qiymatini roʻyxatdan oʻtkazmagan: uni tessera merchants set <merchant> --origins bilan qoʻshing yoki provayderdan soʻrang.',
    },
  },
  merchantBlocked: {
    status: 403,
    title: { en: 'Merchant blocked', ru: 'Мерчант заблокирован', uz: 'Merchant bloklangan' },
    text: {
      en: 'This shop cannot take cards at the moment. Nothing was charged.',
      ru: 'Этот магазин сейчас не может принимать карты. Деньги не списаны.',
      uz: 'Bu doʻkon hozir karta qabul qila olmaydi. Pul yechilmadi.',
    },
    detail: {
      en: 'The provider has blocked this merchant: ask the provider.',
      ru: 'Провайдер заблокировал мерчанта: обратитесь к провайдеру.',
      uz: 'Provayder bu merchantni bloklagan: provayderga murojaat qiling.',
    },
  },
  pageUnknown: {
    status: 404,
    title: { en: 'There is no such page', ru: 'Такой страницы нет', uz: 'Bunday sahifa yoʻq' },
    text: linkText,
    detail: null,
  },
  unavailable: {
    status: 503,
    title: { en: 'Please try again in a moment', ru: 'Попробуйте чуть позже', uz: 'Birozdan keyin urining' },
    text: {
      en: 'The service is not available right now. Nothing was charged. Reload this page in a moment.',
      ru: 'Сервис сейчас недоступен. Деньги не списаны. Обновите страницу через минуту.',
      uz: 'Xizmat hozir ishlamayapti. Pul yechilmadi. Sahifani bir daqiqadan keyin yangilang.',
    },
    detail: null,
  },
} as const satisfies Record<string, Refusal>

export type FormRefusal = keyof typeof refusals

/** A page without script. Any page may frame it, since it has nothing to click. */
export function refusalPage(refusal: FormRefusal, language: Language): LegalPage & { readonly status: number } {
  const { status, title, text, detail }: Refusal = refusals[refusal]
  const hint = detail === null ? '' : `<p class="hint">${escapeText(detail[language])}</p>`
  const body = `<p>${escapeText(text[language])}</p>${hint}`
  return { status, ...textPage({ title: title[language], body, language, isFramed: true }) }
}

/**
 * `/form/reasons`: every reason that a page may get, each with an anchor. Errors of the SDK link to it. The message is in the language of the page;
 * what to do is for developers and in English.
 */
export function reasonsPage(language: Language): LegalPage {
  const own = Object.entries(formReasons).map(([reason, hint]) => {
    return { reason, text: language === 'en' ? null : formReasonTexts[reason as FormReason][language], hint }
  })
  const wire = Object.values(errors).map(({ reason, text, hint }) => ({ reason, text: text[language], hint }))
  // One anchor for a reason that belongs to several codes.
  const byReason = Map.groupBy<string, { readonly reason: string; readonly text: string | null; readonly hint: string }>(
    [...own, ...wire],
    ({ reason }) => reason,
  )
  const items = [...byReason].map(([reason, sources]) => {
    const texts = [...new Set(sources.flatMap(({ text }) => (text === null ? [] : [`<dd>${escapeText(text)}</dd>`])))]
    const hints = [...new Set(sources.map(({ hint }) => `<dd class="hint" lang="en">${escapeText(hint)}</dd>`))]
    return `<dt id="${reason}"><code>${reason}</code></dt>${texts.join('')}${hints.join('')}`
  })
  const { title, intro } = reasonTexts[language]
  return textPage({ title, body: `<p>${intro}</p><dl>${items.join('')}</dl>`, language, path: '/form/reasons' })
}

/** What each of the form's own reasons means; in English the hint says it. */
const formReasonTexts: Readonly<Record<FormReason, Readonly<Record<'ru' | 'uz', string>>>> = {
  number_missing: { ru: 'Номер карты не введён.', uz: 'Karta raqami kiritilmagan.' },
  expiry_missing: { ru: 'Срок действия не введён.', uz: 'Amal qilish muddati kiritilmagan.' },
  code_missing: { ru: 'Код из SMS введён не полностью.', uz: 'SMS kodi toʻliq kiritilmagan.' },
  offline: {
    ru: 'Нет соединения. Введённое не потеряно: вызовите submit() или verify() ещё раз.',
    uz: 'Aloqa yoʻq. Kiritilganlar saqlangan: submit() yoki verify() ni qayta chaqiring.',
  },
  service_error: {
    ru: 'Ответил не сервис, а прокси или межсетевой экран перед ним. Деньги не списаны.',
    uz: 'Javobni xizmat emas, undan oldingi proksi berdi. Pul yechilmadi.',
  },
  network_timeout: { ru: 'Нет ответа за 30 секунд. Деньги не списаны.', uz: '30 soniyada javob kelmadi. Pul yechilmadi.' },
  stopped: { ru: 'Держатель карты не стал ждать банк. Деньги не списаны.', uz: 'Karta egasi bankni kutmadi. Pul yechilmadi.' },
  option_refused: {
    ru: 'Параметр неверен, форма использует значение по умолчанию. Его называет поле option.',
    uz: 'Parametr notoʻgʻri, forma standart qiymatni ishlatadi. Uni option maydoni aytadi.',
  },
  theme_contrast: {
    ru: 'Двум цветам темы не хватает контраста WCAG 2.2 AA. Только в тестовой среде.',
    uz: 'Mavzuning ikki rangida WCAG 2.2 AA kontrasti yetarli emas. Faqat test muhitida.',
  },
  blocked_by_csp: {
    ru: 'Content-Security-Policy вашей страницы не пускает форму: добавьте её origin в frame-src.',
    uz: 'Sahifangizning Content-Security-Policy qoidasi formani toʻsadi: uning origin qiymatini frame-src ga qoʻshing.',
  },
  frame_no_answer: {
    ru: 'Форма не ответила за 10 секунд: нет связи, или origin страницы не зарегистрирован.',
    uz: 'Forma 10 soniyada javob bermadi: aloqa yoʻq yoki sahifa origin qiymati roʻyxatda yoʻq.',
  },
  page_sandboxed: {
    ru: 'У страницы нет своего origin: она открыта как файл или в sandbox без allow-same-origin.',
    uz: 'Sahifaning oʻz origin qiymati yoʻq: u fayl sifatida yoki allow-same-origin siz sandbox ichida ochilgan.',
  },
  merchant_missing: {
    ru: 'Нужен параметр merchant: ваш открытый идентификатор, 24 шестнадцатеричные цифры.',
    uz: 'merchant parametri kerak: ochiq identifikatoringiz, 24 ta oʻn oltilik raqam.',
  },
  form_origin_missing: {
    ru: 'SDK не знает, где форма: задайте параметр formOrigin.',
    uz: 'SDK forma qayerdaligini bilmaydi: formOrigin parametrini bering.',
  },
  place_missing: { ru: 'На странице нет элемента для mount().', uz: 'Sahifada mount() uchun element yoʻq.' },
}

const reasonTexts: Readonly<Record<Language, { readonly title: string; readonly intro: string }>> = {
  en: {
    title: 'Reasons of the card form',
    intro: 'The member reason of an error says what happened: one word for each cause. Below each is the message, and what to do about it.',
  },
  ru: {
    title: 'Причины ошибок формы карты',
    intro: 'Поле reason ошибки говорит, что случилось: одно слово на каждую причину. Под каждым — сообщение и, по-английски, что делать.',
  },
  uz: {
    title: 'Karta formasi xatolarining sabablari',
    intro:
      'Xatoning reason maydoni nima boʻlganini aytadi: har bir sababga bitta soʻz. Har birining ostida xabar va, inglizcha, nima qilish kerakligi bor.',
  },
}
