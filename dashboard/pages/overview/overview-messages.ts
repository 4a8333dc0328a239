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
  half: 'median',
  p95: '95th percentile',
  declines: 'Why payments were declined',
  noDeclines: 'No payments were declined.',
  codesRefused: 'Why codes were not sent',
  noCodesRefused: 'Every code was sent.',
  toVerification: 'See each code with its card',
  when: 'When',
  asTable: 'As a table',
}

export type OverviewPageMessages = typeof en

const ru: OverviewPageMessages = {
  none: { title: 'За это время ничего не было', text: 'Графики рисуются по мере вызовов: карты, коды, платежи и их длительность.' },
  toStart: 'Сделать первый токен',
  tokens: 'Токены',
  created: 'созданы',
  verified: 'подтверждены',
  conversion: 'Подтверждено из созданных',
  payments: 'Платежи',
  paid: 'оплачены',
  declined: 'отклонены',
  latency: 'Длительность вызовов',
  half: 'половина вызовов — до',
  p95: '95 % вызовов — до',
  declines: 'Почему отклонены платежи',
  noDeclines: 'Отклонённых платежей нет.',
  codesRefused: 'Почему не отправлены коды',
  noCodesRefused: 'Все коды отправлены.',
  toVerification: 'Каждый, с его картой',
  when: 'Когда',
  asTable: 'Таблицей',
}

const uz: OverviewPageMessages = {
  none: {
    title: 'Bu vaqtda hech narsa boʻlmagan',
    text: 'Chaqiruvlar kelishi bilan grafiklar chiziladi: kartalar, kodlar, toʻlovlar va davomiyligi.',
  },
  toStart: 'Birinchi tokenni yaratish',
  tokens: 'Tokenlar',
  created: 'yaratildi',
  verified: 'tasdiqlandi',
  conversion: 'Yaratilgandan tasdiqlangani',
  payments: 'Toʻlovlar',
  paid: 'toʻlandi',
  declined: 'rad etildi',
  latency: 'Chaqiruvlar davomiyligi',
  half: 'chaqiruvlar yarmi, koʻpi bilan',
  p95: 'chaqiruvlarning 95 % i, koʻpi bilan',
  declines: 'Toʻlovlar nega rad etildi',
  noDeclines: 'Rad etilgan toʻlov yoʻq.',
  codesRefused: 'Kodlar nega yuborilmadi',
  noCodesRefused: 'Hamma kod yuborildi.',
  toVerification: 'Har biri, kartasi bilan',
  when: 'Qachon',
  asTable: 'Jadval holida',
}

/** The texts of the page Overview. */
export const overviewPageMessages: Readonly<Record<Language, OverviewPageMessages>> = { en, ru, uz }
