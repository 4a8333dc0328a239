import type { Language } from '@tessera/contract/profile'

const en = {
  none: {
    title: 'Nothing happened in this time',
    text: 'Charts are drawn as calls arrive: cards that become tokens, codes, payments, and how long each took.',
  },
  toStart: 'Make a first token',
  tokens: 'Tokens',
  created: 'created',
  verified: 'verified',
  conversion: 'Verified of created',
  payments: 'Payments',
  paid: 'paid',
  declined: 'declined',
  latency: 'How long calls took',
  half: 'half of calls within',
  p95: '95 % of calls within',
  declines: 'Why payments were declined',
  noDeclines: 'No payment was declined.',
  codesRefused: 'Why codes were not sent',
  noCodesRefused: 'Every code was sent.',
  toVerification: 'Each of them, with its card',
  when: 'When',
  asTable: 'As a table',
}

const ru: typeof en = {
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

const uz: typeof en = {
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

/** The words of the page Overview. */
export const overviewWords: Readonly<Record<Language, typeof en>> = { en, ru, uz }
