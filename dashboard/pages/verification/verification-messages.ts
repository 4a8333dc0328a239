import type { Language } from '@tessera/contract/profile'

const en = {
  attempts: 'Attempts',
  inbox: 'SMS inbox',
  funnel: 'Verification funnel',
  stages: { created: 'created', sent: 'code sent', verified: 'verified', paid: 'used in a payment' },
  funnelText: 'Cards created in this period, each counted once.',
  funnelPart: 'The newest {0} cards of this period, each counted once.',
  failedOnly: 'Failures only',
  at: 'When',
  card: 'Card',
  what: 'Outcome',
  cause: 'Cause',
  whats: { sent: 'code sent', not_sent: 'not sent', wrong: 'wrong code', refused: 'refused', verified: 'verified' },
  causes: {
    sms_not_connected: 'The bank has no phone for this card.',
    card_expired: 'The card has expired.',
    card_blocked: 'The card is blocked.',
    system_error: 'The card network had an error.',
    network_timeout: 'The card network did not respond.',
    sms_not_sent: 'The SMS gateway rejected the message.',
    send_limit_phone: 'Too many codes to this phone.',
    wrong_code: 'A different code was entered.',
  } as Readonly<Record<string, string>>,
  none: {
    title: 'No codes yet',
    text: 'A row appears when cards.get_verify_code is called. Calls rejected before a code is sent or checked (too soon, too many) are in the request log.',
  },
  noFailures: { title: 'No failures', text: 'Every code in this list was sent and entered correctly.' },
  inboxText:
    'The test environment sends no SMS. Codes that the service itself would send are shown here; codes sent by the network are not. Every code is 666666.',
  look: 'Refresh',
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
  funnel: 'Как далеко доходят карты',
  stages: { created: 'созданы', sent: 'код отправлен', verified: 'подтверждены', paid: 'оплачено' },
  funnelText: 'Карты, созданные за это время, каждая один раз.',
  funnelPart: 'Последние {0} карт за это время, каждая один раз.',
  failedOnly: 'Только неудачи',
  at: 'Когда',
  card: 'Карта',
  what: 'Итог',
  cause: 'Причина',
  whats: { sent: 'код отправлен', not_sent: 'не отправлен', wrong: 'неверный код', refused: 'отказ', verified: 'подтверждена' },
  causes: {
    sms_not_connected: 'У банка нет телефона для этой карты.',
    card_expired: 'Срок карты истёк.',
    card_blocked: 'Карта заблокирована.',
    system_error: 'Ошибка карточной сети.',
    network_timeout: 'Карточная сеть не ответила.',
    sms_not_sent: 'SMS-шлюз отказал.',
    send_limit_phone: 'Слишком много кодов на этот телефон.',
    wrong_code: 'Введён другой код.',
  },
  none: {
    title: 'Кодов пока нет',
    text: 'Строка появится после вызова cards.get_verify_code. Отказы до проверки кода (слишком рано, слишком много) — в журнале запросов.',
  },
  noFailures: { title: 'Неудач нет', text: 'Из просмотренного все коды отправлены и верны.' },
  inboxText: 'В тестовой среде телефоны не звонят: коды, которые отправляем мы, хранятся здесь. Коды сети не видны; все коды — 666666.',
  look: 'Обновить',
  phone: 'Телефон',
  message: 'Сообщение',
  noMessages: { title: 'Входящих нет', text: 'Запросите код для карты 8600 4954 7331 6478: её код отправляем мы.' },
}

const uz: typeof en = {
  attempts: 'Urinishlar',
  inbox: 'SMS qutisi',
  funnel: 'Kartalar qayergacha yetadi',
  stages: { created: 'yaratildi', sent: 'kod yuborildi', verified: 'tasdiqlandi', paid: 'toʻlov qilindi' },
  funnelText: 'Shu vaqtda yaratilgan kartalar, har biri bir marta.',
  funnelPart: 'Shu vaqtdagi eng yangi {0} karta, har biri bir marta.',
  failedOnly: 'Faqat muvaffaqiyatsizlar',
  at: 'Qachon',
  card: 'Karta',
  what: 'Natija',
  cause: 'Sabab',
  whats: { sent: 'kod yuborildi', not_sent: 'yuborilmadi', wrong: 'notoʻgʻri kod', refused: 'rad etildi', verified: 'tasdiqlandi' },
  causes: {
    sms_not_connected: 'Bankda bu karta uchun telefon yoʻq.',
    card_expired: 'Karta muddati tugagan.',
    card_blocked: 'Karta bloklangan.',
    system_error: 'Karta tarmogʻida xato.',
    network_timeout: 'Karta tarmogʻi javob bermadi.',
    sms_not_sent: 'SMS shlyuzi rad etdi.',
    send_limit_phone: 'Bu telefonga juda koʻp kod.',
    wrong_code: 'Boshqa kod kiritildi.',
  },
  none: {
    title: 'Hozircha kod yoʻq',
    text: 'cards.get_verify_code chaqirilganda satr paydo boʻladi. Kod tekshirilmasdan rad etilganlar soʻrovlar jurnalida.',
  },
  noFailures: { title: 'Muvaffaqiyatsizlik yoʻq', text: 'Koʻrilganlarning barchasida kod yuborilgan va toʻgʻri.' },
  inboxText: 'Sinov muhitida telefon jiringlamaydi: biz yuboradigan kodlar shu yerda turadi. Tarmoq kodlari koʻrinmaydi; hammasi 666666.',
  look: 'Yana koʻrish',
  phone: 'Telefon',
  message: 'Xabar',
  noMessages: { title: 'Quti boʻsh', text: '8600 4954 7331 6478 kartasi uchun kod soʻrang: uning kodini biz yuboramiz.' },
}

/** The texts of the page Verification. */
export const verificationPageMessages: Readonly<Record<Language, VerificationPageMessages>> = { en, ru, uz }
