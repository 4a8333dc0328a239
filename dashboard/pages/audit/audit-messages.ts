import type { Language } from '@tessera/contract/profile'

const en = {
  label: 'What people did',
  about: 'What your users and the provider did. Calls of your pages and servers are in the history of a card or receipt: enter its id.',
  subject: 'Id of a card, receipt or user',
  subjectHint: '24 digits and letters; leave it empty for what people did',
  show: 'Show',
  notAnId: 'This is not an id. An id has 24 characters, 0-9 and a-f.',
  at: 'When',
  who: 'Who',
  what: 'What',
  on: 'On',
  outcome: 'Outcome',
  csv: 'Export as CSV',
  json: 'Export as JSON',
  exporting: (count: number) => `Entries so far: ${count}…`,
  exported: (count: number) => `Entries exported: ${count}.`,
  exportedFirst: (count: number) => `The newest ${count} entries were exported; there are more.`,
  none: { title: 'Nothing yet', text: 'What your users change here, and who signs in or fails to, will be listed here.' },
  noneOfOne: { title: 'Nothing for this id', text: 'None of your cards, receipts or users has it.' },
}

export type AuditPageMessages = typeof en

const ru: AuditPageMessages = {
  label: 'Действия людей',
  about: 'Кто из ваших людей и у провайдера что сделал. Вызовы страниц и серверов — в истории карты или чека: укажите идентификатор.',
  subject: 'Идентификатор карты, чека или пользователя',
  subjectHint: '24 цифры и буквы; пусто: действия людей',
  show: 'Показать',
  notAnId: 'В идентификаторе 24 знака, 0-9 и a-f.',
  at: 'Когда',
  who: 'Кто',
  what: 'Что',
  on: 'Над чем',
  outcome: 'Итог',
  csv: 'Выгрузить CSV',
  json: 'Выгрузить JSON',
  exporting: (count) => `Записей пока: ${count}…`,
  exported: (count) => `Выгружено записей: ${count}.`,
  exportedFirst: (count) => `Выгружены новейшие записи, ${count}; есть ещё.`,
  none: { title: 'Пока ничего', text: 'Здесь будет видно, что меняют ваши люди и кто входит или не смог войти.' },
  noneOfOne: { title: 'По этому идентификатору ничего', text: 'Ни карты, ни чека, ни пользователя с ним у вас нет.' },
}

const uz: AuditPageMessages = {
  label: 'Odamlar nima qildi',
  about: 'Odamlaringiz va provayderdan kim nima qilgani. Sahifa va server chaqiruvlari karta yoki chek tarixida: identifikatorini yozing.',
  subject: 'Karta, chek yoki foydalanuvchi identifikatori',
  subjectHint: '24 ta raqam va harf; boʻsh: odamlar nima qilgani',
  show: 'Koʻrsatish',
  notAnId: 'Identifikatorda 24 belgi bor, 0-9 va a-f.',
  at: 'Qachon',
  who: 'Kim',
  what: 'Nima',
  on: 'Nima ustida',
  outcome: 'Natija',
  csv: 'CSV yuklab olish',
  json: 'JSON yuklab olish',
  exporting: (count) => `Hozircha ${count} ta yozuv…`,
  exported: (count) => `${count} ta yozuv yuklab olindi.`,
  exportedFirst: (count) => `Eng yangi ${count} ta yozuv yuklab olindi; yana bor.`,
  none: { title: 'Hozircha hech narsa', text: 'Odamlaringiz nimani oʻzgartirgani, kim kirgani yoki kira olmagani shu yerda koʻrinadi.' },
  noneOfOne: { title: 'Bu identifikator boʻyicha hech narsa yoʻq', text: 'Sizda bunday karta, chek yoki foydalanuvchi yoʻq.' },
}

export const auditPageMessages: Readonly<Record<Language, AuditPageMessages>> = { en, ru, uz }
