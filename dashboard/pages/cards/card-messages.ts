import type { Language } from '@tessera/contract/profile'

// Loaded with the page, one file per language.
const en = {
  label: 'Cards',
  search: 'Find a card',
  searchHint: 'Last four digits, a masked number, a card id, or your customer id',
  find: 'Find',
  number: 'Card',
  state: 'State',
  saved: 'Saved',
  recurrent: 'recurring',
  oneTime: 'one payment',
  customer: 'Customer',
  created: 'Created',
  none: {
    title: 'No cards yet',
    text: 'A card appears here as soon as a page or an app sends it to cards.create. You can make a test token on the page Get started.',
  },
  notFound: {
    title: 'No card found',
    text: 'Search by the last four digits, a masked number, a full card id, or a full customer id.',
  },
  states: {
    verified: 'verified',
    unverified: 'not verified',
    expired: 'expired',
    removed: 'removed',
    ended: 'ended',
    tampered: 'row modified',
  },
  tampered:
    'The row of this card was modified outside the service, so none of it is shown and its token cannot pay. Tell your provider. The history of the card is below.',
  allPayments: 'All payments',
  cardId: 'Card id',
  expiry: 'Expiry',
  wipedAt: 'Wiped',
  consent: 'Consent',
  consentAsserted: 'asserted by you, without a text',
  account: 'Account',
  history: 'History',
  remove: 'Remove the card',
  removeTitle: 'Remove this card?',
  removeText: 'The sealed number is wiped at once, and the token can no longer pay. This cannot be undone.',
  payment: 'Payment',
  receipt: 'Open the receipt',
}

export type CardPageMessages = typeof en

const ru: CardPageMessages = {
  label: 'Карты',
  search: 'Найти карту',
  searchHint: 'Последние четыре цифры, маска, id карты или ваш id клиента',
  find: 'Найти',
  number: 'Карта',
  state: 'Состояние',
  saved: 'Хранение',
  recurrent: 'повторные платежи',
  oneTime: 'один платёж',
  customer: 'Клиент',
  created: 'Создана',
  none: {
    title: 'Карт пока нет',
    text: 'Карта появится, как только страница или приложение отправит её в cards.create. Тестовый токен можно создать на странице «Начало работы».',
  },
  notFound: {
    title: 'Такой карты нет',
    text: 'Ничего не найдено. Ищите по последним четырём цифрам, маске, полному id карты или клиента.',
  },
  states: {
    verified: 'подтверждена',
    unverified: 'не подтверждена',
    expired: 'истёк срок',
    removed: 'удалена',
    ended: 'хранение завершено',
    tampered: 'запись изменена',
  },
  tampered:
    'Запись этой карты изменена вне сервиса, поэтому её данные не показаны, а токен не действует. Сообщите провайдеру. История карты ниже.',
  allPayments: 'Все платежи',
  cardId: 'Id карты',
  expiry: 'Срок действия',
  wipedAt: 'Удаление номера',
  consent: 'Согласие',
  consentAsserted: 'заявлено вами, без текста',
  account: 'Счёт',
  history: 'История',
  remove: 'Удалить карту',
  removeTitle: 'Удалить эту карту?',
  removeText: 'Зашифрованный номер сразу удаляется, токен больше не действует. Отменить это нельзя.',
  payment: 'Платёж',
  receipt: 'Открыть чек',
}

const uz: CardPageMessages = {
  label: 'Kartalar',
  search: 'Kartani topish',
  searchHint: 'Oxirgi toʻrt raqam, maskalangan raqam, karta id si yoki mijoz id si',
  find: 'Topish',
  number: 'Karta',
  state: 'Holati',
  saved: 'Saqlash',
  recurrent: 'takroriy toʻlov',
  oneTime: 'bitta toʻlov',
  customer: 'Mijoz',
  created: 'Yaratilgan',
  none: {
    title: 'Hozircha karta yoʻq',
    text: 'Sahifa yoki ilova cards.create ga yuborishi bilan karta shu yerda chiqadi. Sinov tokenini «Ish boshlash» sahifasida yarating.',
  },
  notFound: {
    title: 'Bunday karta yoʻq',
    text: 'Hech narsa topilmadi. Oxirgi toʻrt raqam, maskalangan raqam, toʻliq karta id si yoki mijoz id si boʻyicha qidiring.',
  },
  states: {
    verified: 'tasdiqlangan',
    unverified: 'tasdiqlanmagan',
    expired: 'muddati oʻtgan',
    removed: 'oʻchirilgan',
    ended: 'saqlash tugagan',
    tampered: 'yozuv oʻzgartirilgan',
  },
  tampered:
    'Bu karta yozuvi xizmatdan tashqarida oʻzgartirilgan, shuning uchun maʼlumotlari koʻrsatilmaydi va tokeni ishlamaydi. Provayderga xabar bering. Karta tarixi quyida.',
  allPayments: 'Barcha toʻlovlar',
  cardId: 'Karta id',
  expiry: 'Amal qilish muddati',
  wipedAt: 'Raqam oʻchiriladi',
  consent: 'Rozilik',
  consentAsserted: 'siz bildirgansiz, matnsiz',
  account: 'Hisob',
  history: 'Tarix',
  remove: 'Kartani oʻchirish',
  removeTitle: 'Bu karta oʻchirilsinmi?',
  removeText: 'Shifrlangan raqam darhol oʻchiriladi, token endi ishlamaydi. Buni bekor qilib boʻlmaydi.',
  payment: 'Toʻlov',
  receipt: 'Chekni ochish',
}

/** The texts of the page Cards. */
export const cardPageMessages: Readonly<Record<Language, CardPageMessages>> = { en, ru, uz }
