import type { Language } from '@tessera/contract/profile'

// Loaded with the page, one file per language. {0} is a placeholder for `formatMessage`.
const en = {
  open: 'Open',
  label: 'What people did',
  about: 'What your users and the provider did. Calls of your pages and servers are in the history of a card or receipt: enter its id.',
  idLabel: 'Id of a card, receipt or user',
  idHint: '24 digits and letters; leave it empty for what people did',
  show: 'Show',
  invalidId: 'This is not an id. An id has 24 characters, 0-9 and a-f.',
  at: 'When',
  actor: 'Who',
  action: 'What',
  object: 'On',
  changes: 'Changed',
  address: 'From address',
  outcome: 'Outcome',
  csv: 'Export as CSV',
  json: 'Export as JSON',
  exporting: 'Entries so far: {0}…',
  exported: 'Entries exported: {0}.',
  exportedFirst: 'The newest {0} entries were exported; there are more.',
  none: { title: 'Nothing yet', text: 'What your users change here, and who signs in or fails to, will be listed here.' },
  noneForId: { title: 'Nothing for this id', text: 'None of your cards, receipts or users has it.' },
}

export type AuditPageMessages = typeof en

const ru: AuditPageMessages = {
  open: 'Открыть',
  label: 'Действия пользователей',
  about: 'Действия ваших пользователей и провайдера. Вызовы страниц и серверов — в истории карты или чека: укажите идентификатор.',
  idLabel: 'Идентификатор карты, чека или пользователя',
  idHint: '24 цифры и буквы; пустое поле: действия пользователей',
  show: 'Показать',
  invalidId: 'Это не идентификатор. В нём 24 знака: 0–9 и a–f.',
  at: 'Когда',
  actor: 'Кто',
  action: 'Действие',
  object: 'Объект',
  changes: 'Что изменено',
  address: 'С адреса',
  outcome: 'Результат',
  csv: 'Выгрузить CSV',
  json: 'Выгрузить JSON',
  exporting: 'Записей пока: {0}…',
  exported: 'Выгружено записей: {0}.',
  exportedFirst: 'Выгружены последние записи: {0}. Есть ещё.',
  none: { title: 'Пока ничего', text: 'Здесь будет видно, что меняют ваши пользователи, кто вошёл и чей вход отклонён.' },
  noneForId: { title: 'Ничего не найдено', text: 'У вас нет карты, чека или пользователя с этим идентификатором.' },
}

const uz: AuditPageMessages = {
  open: 'Ochish',
  label: 'Foydalanuvchilar amallari',
  about: 'Foydalanuvchilaringiz va provayder amallari. Sahifa va server chaqiruvlari karta yoki chek tarixida: identifikatorini kiriting.',
  idLabel: 'Karta, chek yoki foydalanuvchi identifikatori',
  idHint: '24 ta raqam va harf; boʻsh maydon: foydalanuvchilar amallari',
  show: 'Koʻrsatish',
  invalidId: 'Bu identifikator emas. Unda 24 belgi bor: 0–9 va a–f.',
  at: 'Qachon',
  actor: 'Kim',
  action: 'Amal',
  object: 'Obyekt',
  changes: 'Nima oʻzgardi',
  address: 'Qaysi manzildan',
  outcome: 'Natija',
  csv: 'CSV yuklab olish',
  json: 'JSON yuklab olish',
  exporting: 'Hozircha {0} ta yozuv…',
  exported: '{0} ta yozuv yuklab olindi.',
  exportedFirst: 'Eng yangi {0} ta yozuv yuklab olindi; yana bor.',
  none: {
    title: 'Hozircha yozuv yoʻq',
    text: 'Foydalanuvchilaringiz nimani oʻzgartirgani, kim kirgani va kimning kirishi rad etilgani shu yerda koʻrinadi.',
  },
  noneForId: { title: 'Hech narsa topilmadi', text: 'Sizda bu identifikatorli karta, chek yoki foydalanuvchi yoʻq.' },
}

export const auditPageMessages: Readonly<Record<Language, AuditPageMessages>> = { en, ru, uz }
