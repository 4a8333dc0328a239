import type { Language } from '@tessera/contract/profile'

// Loaded when the search is first opened, one file per language.
const en = {
  placeholder: 'Order, payment, customer, card, phone, amount…',
  results: 'Results',
  hint: 'Order number, payment id or its first digits, customer, last four digits of a card, card id, request id, phone, or an amount in soʻm.',
  pressEnter: 'Press Enter to search. A long number is not sent while you type: it could be the beginning of a card number.',
  found: 'Results: {0}. Choose with the arrow keys, open with Enter.',
  none: 'Nothing found. Order numbers and customers are found by their whole text.',
  preparing: '{0} older changes are still being prepared for the search.',
  succeeded: 'succeeded',
  kinds: { receipt: 'Payments', customer: 'Customers', card: 'Cards', message: 'SMS', request: 'Requests', page: 'Pages' },
  purposes: { code: 'verification code', receipt: 'payment request' },
  outcomes: {
    requested: 'being sent',
    accepted: 'accepted by the gateway',
    delivered: 'delivered',
    failed: 'not delivered',
    unknown: 'outcome unknown',
  },
  failures: {
    rejected:
      'The SMS gateway refused the message. Check the number with the customer, or send the code again in a minute; if others fail too, tell your provider.',
    undelivered:
      'The operator could not deliver it: the phone is off, out of reach or blocks SMS. Ask the customer to check it, then send the code again.',
  },
}

export type SearchMessages = typeof en

const ru: SearchMessages = {
  placeholder: 'Заказ, платёж, клиент, карта, телефон, сумма…',
  results: 'Результаты',
  hint: 'Номер заказа, id платежа или его начало, клиент, последние четыре цифры карты, id карты, id запроса, телефон или сумма в сумах.',
  pressEnter: 'Нажмите Enter, чтобы искать. Длинное число не отправляется при вводе: оно может быть началом номера карты.',
  found: 'Найдено: {0}. Выбор — стрелками, открыть — Enter.',
  none: 'Ничего не найдено. Номер заказа и клиента вводите полностью.',
  preparing: 'Ещё готовятся для поиска прежние изменения: {0}.',
  succeeded: 'успешно',
  kinds: { receipt: 'Платежи', customer: 'Клиенты', card: 'Карты', message: 'SMS', request: 'Запросы', page: 'Страницы' },
  purposes: { code: 'код подтверждения', receipt: 'счёт на оплату' },
  outcomes: {
    requested: 'отправляется',
    accepted: 'принято шлюзом',
    delivered: 'доставлено',
    failed: 'не доставлено',
    unknown: 'результат неизвестен',
  },
  failures: {
    rejected:
      'SMS-шлюз не принял сообщение. Уточните номер у клиента или отправьте код ещё раз через минуту; если не доходят и другие, сообщите провайдеру.',
    undelivered:
      'Оператор не смог доставить: телефон выключен, вне сети или блокирует SMS. Попросите клиента проверить телефон и отправьте код ещё раз.',
  },
}

const uz: SearchMessages = {
  placeholder: 'Buyurtma, toʻlov, mijoz, karta, telefon, summa…',
  results: 'Natijalar',
  hint: 'Buyurtma raqami, toʻlov id si yoki uning boshi, mijoz, kartaning oxirgi toʻrt raqami, karta id si, soʻrov id si, telefon yoki soʻmdagi summa.',
  pressEnter: 'Qidirish uchun Enter ni bosing. Uzun son terilayotganda yuborilmaydi: u karta raqamining boshi boʻlishi mumkin.',
  found: 'Topildi: {0}. Strelkalar bilan tanlang, Enter bilan oching.',
  none: 'Hech narsa topilmadi. Buyurtma raqami va mijozni toʻliq yozing.',
  preparing: 'Avvalgi oʻzgarishlar hali qidiruvga tayyorlanmoqda: {0}.',
  succeeded: 'muvaffaqiyatli',
  kinds: { receipt: 'Toʻlovlar', customer: 'Mijozlar', card: 'Kartalar', message: 'SMS', request: 'Soʻrovlar', page: 'Sahifalar' },
  purposes: { code: 'tasdiqlash kodi', receipt: 'toʻlov uchun hisob' },
  outcomes: {
    requested: 'yuborilmoqda',
    accepted: 'shlyuz qabul qildi',
    delivered: 'yetkazildi',
    failed: 'yetkazilmadi',
    unknown: 'natija nomaʼlum',
  },
  failures: {
    rejected:
      'SMS shlyuzi xabarni qabul qilmadi. Raqamni mijozdan soʻrang yoki bir daqiqadan keyin kodni qayta yuboring; boshqalarniki ham bormasa, provayderga xabar bering.',
    undelivered:
      'Operator yetkaza olmadi: telefon oʻchiq, tarmoqdan tashqarida yoki SMS ni bloklaydi. Mijozdan telefonini tekshirishni soʻrang va kodni qayta yuboring.',
  },
}

/** The texts of the search. */
export const searchMessages: Readonly<Record<Language, SearchMessages>> = { en, ru, uz }
