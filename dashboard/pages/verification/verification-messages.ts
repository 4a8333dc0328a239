import type { Language } from '@tessera/contract/profile'

const en = {
  attempts: 'Attempts',
  inbox: 'SMS inbox',
  funnel: 'Verification funnel',
  stage: 'Stage',
  cards: 'Cards',
  asTable: 'As a table',
  stages: { created: 'created', sent: 'code sent', verified: 'verified', paid: 'used in a payment' },
  funnelText: 'Cards created in this period, each counted once.',
  funnelPartial: 'The newest {0} cards of this period, each counted once.',
  failedOnly: 'Failures only',
  at: 'When',
  card: 'Card',
  outcome: 'Outcome',
  cause: 'Cause',
  outcomes: { sent: 'code sent', not_sent: 'not sent', wrong: 'wrong code', refused: 'refused', verified: 'verified' },
  none: {
    title: 'No codes yet',
    text: 'A row appears when cards.get_verify_code is called. Calls rejected before a code is sent or checked (too soon, too many) are in the request log.',
  },
  noFailures: { title: 'No failures', text: 'Every code in this list was sent and entered correctly.' },
  inboxText:
    'The test environment sends no SMS. Codes that the service itself would send are shown here; codes sent by the network are not. Every code is 666666.',
  refresh: 'Refresh',
  phone: 'Phone',
  message: 'Message',
  noMessages: {
    title: 'The inbox is empty',
    text: 'Request a code for the test card 8600 4954 7331 6478: its code is sent by the service.',
  },
}

export type VerificationPageMessages = typeof en

const ru: typeof en = {
  attempts: 'Попытки',
  inbox: 'Входящие SMS',
  funnel: 'Воронка подтверждения',
  stage: 'Этап',
  cards: 'Карты',
  asTable: 'В виде таблицы',
  stages: { created: 'созданы', sent: 'код отправлен', verified: 'подтверждены', paid: 'использованы в оплате' },
  funnelText: 'Карты, созданные за этот период, каждая один раз.',
  funnelPartial: 'Последние {0} карт за этот период, каждая один раз.',
  failedOnly: 'Только ошибки',
  at: 'Когда',
  card: 'Карта',
  outcome: 'Результат',
  cause: 'Причина',
  outcomes: { sent: 'код отправлен', not_sent: 'не отправлен', wrong: 'неверный код', refused: 'отказ', verified: 'подтверждена' },
  none: {
    title: 'Кодов пока нет',
    text: 'Строка появится после вызова cards.get_verify_code. Вызовы, отклонённые до отправки или проверки кода (слишком рано, слишком много), — в журнале запросов.',
  },
  noFailures: { title: 'Ошибок нет', text: 'Все коды в этом списке отправлены и введены верно.' },
  inboxText:
    'В тестовой среде SMS не отправляются. Коды, которые отправил бы сам сервис, показаны здесь; коды сети — нет. Все коды — 666666.',
  refresh: 'Обновить',
  phone: 'Телефон',
  message: 'Сообщение',
  noMessages: { title: 'Входящих нет', text: 'Запросите код для тестовой карты 8600 4954 7331 6478: её код отправляет сервис.' },
}

const uz: typeof en = {
  attempts: 'Urinishlar',
  inbox: 'SMS qutisi',
  funnel: 'Tasdiqlash voronkasi',
  stage: 'Bosqich',
  cards: 'Kartalar',
  asTable: 'Jadval holida',
  stages: { created: 'yaratildi', sent: 'kod yuborildi', verified: 'tasdiqlandi', paid: 'toʻlovda ishlatildi' },
  funnelText: 'Shu davrda yaratilgan kartalar, har biri bir marta.',
  funnelPartial: 'Shu davrdagi eng yangi {0} ta karta, har biri bir marta.',
  failedOnly: 'Faqat xatolar',
  at: 'Qachon',
  card: 'Karta',
  outcome: 'Natija',
  cause: 'Sabab',
  outcomes: { sent: 'kod yuborildi', not_sent: 'yuborilmadi', wrong: 'notoʻgʻri kod', refused: 'rad etildi', verified: 'tasdiqlandi' },
  none: {
    title: 'Hozircha kod yoʻq',
    text: 'cards.get_verify_code chaqirilganda satr paydo boʻladi. Kod yuborilishi yoki tekshirilishidan oldin rad etilgan chaqiruvlar (juda erta, juda koʻp) soʻrovlar jurnalida.',
  },
  noFailures: { title: 'Xatolar yoʻq', text: 'Bu roʻyxatdagi barcha kodlar yuborilgan va toʻgʻri kiritilgan.' },
  inboxText:
    'Sinov muhitida SMS yuborilmaydi. Xizmatning oʻzi yuboradigan kodlar shu yerda koʻrsatiladi, tarmoq kodlari esa yoʻq. Barcha kodlar 666666.',
  refresh: 'Yangilash',
  phone: 'Telefon',
  message: 'Xabar',
  noMessages: { title: 'Quti boʻsh', text: '8600 4954 7331 6478 sinov kartasi uchun kod soʻrang: uning kodini xizmat yuboradi.' },
}

/** The texts of the page Verification. */
export const verificationPageMessages: Readonly<Record<Language, VerificationPageMessages>> = { en, ru, uz }
