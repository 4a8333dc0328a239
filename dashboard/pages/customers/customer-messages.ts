import type { Language } from '@tessera/contract/profile'

// Loaded with the page, one file per language.
const en = {
  hiddenLink:
    'A link was opened here that is about one customer. The id of a customer may be a phone or an e-mail address, so no address has it: open the link in the same tab, or search for the customer here.',
  label: 'Customers',
  about: 'Everybody whose card was sent with your own id of the customer, the one with the newest card first.',
  customer: 'Customer',
  cards: 'Cards',
  newestCard: 'Newest card',
  added: 'Added',
  moreThan: 'more than {0}',
  find: 'Find',
  search: 'Find a customer',
  searchHint: 'Your id of the customer, whole',
  none: {
    title: 'No customers yet',
    text: 'A customer appears as soon as a card is created with the param customer: your own id of whoever pays.',
  },
  noData: {
    title: 'Nothing of this customer',
    text: 'There is no card and no payment with this id. Ids of customers are found by their whole text.',
  },
  paid: 'Paid',
  payments: 'Payments',
  paymentsOf: '{0} paid of {1}',
  newestOnly: 'The sums are those of the {0} newest payments.',
  refunded: 'Refunded',
  net: 'Net',
  noCards: { title: 'No cards', text: 'No card of this customer is stored here.' },
  noPayments: { title: 'No payments', text: 'This customer has not paid by card yet.' },
  consent: 'Consent',
  noConsent: 'none',
  allPayments: 'All payments',
  requests: 'Requests',
  moreCards: 'These are the {0} newest cards.',
}

export type CustomerPageMessages = typeof en

const ru: CustomerPageMessages = {
  hiddenLink:
    'Здесь открыта ссылка об одном клиенте. Идентификатор клиента может быть телефоном или адресом почты, поэтому его нет ни в одном адресе страницы: откройте ссылку в той же вкладке или найдите клиента здесь.',
  label: 'Клиенты',
  about: 'Все клиенты, чьи карты переданы с вашим id клиента; сверху те, у кого карта новее.',
  customer: 'Клиент',
  cards: 'Карты',
  newestCard: 'Последняя карта',
  added: 'Добавлена',
  moreThan: 'больше {0}',
  find: 'Найти',
  search: 'Найти клиента',
  searchHint: 'Ваш id клиента полностью',
  none: {
    title: 'Клиентов пока нет',
    text: 'Клиент появится, как только карта будет создана с параметром customer — вашим id того, кто платит.',
  },
  noData: { title: 'По этому клиенту ничего нет', text: 'Нет ни карты, ни платежа с этим id. Id клиента вводите полностью.' },
  paid: 'Оплачено',
  payments: 'Платежи',
  paymentsOf: 'Оплачено {0} из {1}',
  newestOnly: 'Суммы — по последним платежам, их {0}.',
  refunded: 'Возвращено',
  net: 'Чистая сумма',
  noCards: { title: 'Карт нет', text: 'Карты этого клиента здесь не хранятся.' },
  noPayments: { title: 'Платежей нет', text: 'Этот клиент ещё не платил картой.' },
  consent: 'Согласие',
  noConsent: 'нет',
  allPayments: 'Все платежи',
  requests: 'Запросы',
  moreCards: 'Показаны последние карты: {0}.',
}

const uz: CustomerPageMessages = {
  hiddenLink:
    'Bu yerda bitta mijozga oid havola ochildi. Mijoz identifikatori telefon yoki e-pochta manzili boʻlishi mumkin, shuning uchun u hech bir manzilda yoʻq: havolani shu oynaning oʻzida oching yoki mijozni shu yerda qidiring.',
  label: 'Mijozlar',
  about: 'Kartasi sizdagi mijoz id si bilan yuborilgan barcha mijozlar; kartasi eng yangilari yuqorida.',
  customer: 'Mijoz',
  cards: 'Kartalar',
  newestCard: 'Oxirgi karta',
  added: 'Qoʻshilgan',
  moreThan: '{0} tadan koʻp',
  find: 'Topish',
  search: 'Mijozni topish',
  searchHint: 'Mijoz id si, toʻliq',
  none: {
    title: 'Hozircha mijoz yoʻq',
    text: 'Karta customer parametri (toʻlovchining sizdagi id si) bilan yaratilgach, mijoz shu yerda chiqadi.',
  },
  noData: { title: 'Bu mijoz boʻyicha hech narsa yoʻq', text: 'Bu id bilan karta ham, toʻlov ham yoʻq. Mijoz id sini toʻliq yozing.' },
  paid: 'Toʻlangan',
  payments: 'Toʻlovlar',
  paymentsOf: '{1} tadan {0} tasi toʻlangan',
  newestOnly: 'Summalar oxirgi toʻlovlar boʻyicha: {0} ta.',
  refunded: 'Qaytarilgan',
  net: 'Sof summa',
  noCards: { title: 'Karta yoʻq', text: 'Bu mijozning kartasi bu yerda saqlanmagan.' },
  noPayments: { title: 'Toʻlov yoʻq', text: 'Bu mijoz hali karta bilan toʻlamagan.' },
  consent: 'Rozilik',
  noConsent: 'yoʻq',
  allPayments: 'Barcha toʻlovlar',
  requests: 'Soʻrovlar',
  moreCards: 'Oxirgi kartalar koʻrsatilgan: {0} ta.',
}

/** The texts of the page Customers. */
export const customerPageMessages: Readonly<Record<Language, CustomerPageMessages>> = { en, ru, uz }
