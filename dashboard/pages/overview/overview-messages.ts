import type { Language } from '@tessera/contract/profile'

// Loaded with the page, one file per language.
const en = {
  none: {
    title: 'Nothing happened in this period',
    text: 'Charts appear as calls arrive: tokens, codes, payments, and how long calls took.',
  },
  toStart: 'Make a first token',
  tokens: 'Tokens',
  created: 'created',
  verified: 'verified',
  conversion: 'Verified of created',
  payments: 'Payments',
  paid: 'paid',
  declined: 'declined',
  latency: 'Call latency',
  median: 'median',
  p95: '95th percentile',
  declines: 'Why payments were declined',
  noDeclines: 'No payments were declined.',
  codesNotSent: 'Why codes were not sent',
  allCodesSent: 'Every code was sent.',
  toVerification: 'See each code with its card',
  when: 'When',
  asTable: 'As a table',
}

export type OverviewPageMessages = typeof en

const ru: OverviewPageMessages = {
  none: {
    title: 'За этот период данных нет',
    text: 'Графики появятся, когда поступят вызовы: токены, коды, платежи и длительность вызовов.',
  },
  toStart: 'Сделать первый токен',
  tokens: 'Токены',
  created: 'созданы',
  verified: 'подтверждены',
  conversion: 'Подтверждено из созданных',
  payments: 'Платежи',
  paid: 'оплачены',
  declined: 'отклонены',
  latency: 'Длительность вызовов',
  median: 'медиана',
  p95: '95-й процентиль',
  declines: 'Почему отклонены платежи',
  noDeclines: 'Отклонённых платежей нет.',
  codesNotSent: 'Почему не отправлены коды',
  allCodesSent: 'Все коды отправлены.',
  toVerification: 'Каждый код с его картой',
  when: 'Когда',
  asTable: 'Таблицей',
}

const uz: OverviewPageMessages = {
  none: {
    title: 'Bu davr uchun maʼlumot yoʻq',
    text: 'Chaqiruvlar kelgach grafiklar chiqadi: tokenlar, kodlar, toʻlovlar va chaqiruvlar davomiyligi.',
  },
  toStart: 'Birinchi tokenni yaratish',
  tokens: 'Tokenlar',
  created: 'yaratildi',
  verified: 'tasdiqlandi',
  conversion: 'Yaratilganlardan tasdiqlangani',
  payments: 'Toʻlovlar',
  paid: 'toʻlandi',
  declined: 'rad etildi',
  latency: 'Chaqiruvlar davomiyligi',
  median: 'mediana',
  p95: '95-protsentil',
  declines: 'Toʻlovlar rad etilishi sabablari',
  noDeclines: 'Rad etilgan toʻlov yoʻq.',
  codesNotSent: 'Kodlar yuborilmasligi sabablari',
  allCodesSent: 'Barcha kodlar yuborilgan.',
  toVerification: 'Har bir kod kartasi bilan',
  when: 'Qachon',
  asTable: 'Jadval holida',
}

/** The texts of the page Overview. */
export const overviewPageMessages: Readonly<Record<Language, OverviewPageMessages>> = { en, ru, uz }
