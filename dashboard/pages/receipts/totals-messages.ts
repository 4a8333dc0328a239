import type { Language } from '@tessera/contract/profile'

// Loaded with the page, one file per language. {0} is a placeholder for `formatMessage`.
const en = {
  label: 'Daily totals',
  day: 'Day',
  paid: 'Paid',
  paidCount: 'Payments',
  refunded: 'Refunded',
  refundedCount: 'Refunds',
  fees: 'Fees',
  net: 'Net',
  pending: 'Still pending',
  pendingCount: 'Pending receipts',
  sum: 'Total',
  som: 'so’m',
  tiyin: 'tiyin',
  payments: 'Payments: {0}',
  refunds: 'Refunds: {0}',
  receipts: 'Receipts: {0}',
  preparing: 'The totals are being prepared: {0} changes are not counted yet.',
  none: { title: 'Nothing was paid in this period', text: 'Payments appear on the day on which the card was debited. Choose other days.' },
  explained:
    'All amounts in so’m. A payment counts on the day on which the card was debited, a refund on the day on which the network returned the money. Pending are receipts created that day that are held, being paid or refunded, unconfirmed, or to be reviewed. The service takes no fees.',
}

export type TotalsMessages = typeof en

const ru: TotalsMessages = {
  label: 'Итоги по дням',
  day: 'День',
  paid: 'Оплачено',
  paidCount: 'Платежей',
  refunded: 'Возвращено',
  refundedCount: 'Возвратов',
  fees: 'Комиссия',
  net: 'Чистая сумма',
  pending: 'Ещё в обработке',
  pendingCount: 'Чеков в обработке',
  sum: 'Всего',
  som: 'сум',
  tiyin: 'тийины',
  payments: 'Платежей: {0}',
  refunds: 'Возвратов: {0}',
  receipts: 'Чеков: {0}',
  preparing: 'Итоги готовятся: ещё не учтено изменений — {0}.',
  none: { title: 'За этот период оплат нет', text: 'Платёж относится к дню, когда деньги списаны с карты. Выберите другие дни.' },
  explained:
    'Все суммы в сумах. Платёж относится к дню списания с карты, возврат — к дню, когда сеть вернула деньги. В обработке — чеки этого дня, которые захолдированы, оплачиваются или возвращаются, ждут подтверждения или проверки. Сервис не взимает комиссию.',
}

const uz: TotalsMessages = {
  label: 'Kunlik yakunlar',
  day: 'Kun',
  paid: 'Toʻlangan',
  paidCount: 'Toʻlovlar',
  refunded: 'Qaytarilgan',
  refundedCount: 'Qaytarishlar',
  fees: 'Komissiya',
  net: 'Sof summa',
  pending: 'Hali jarayonda',
  pendingCount: 'Jarayondagi cheklar',
  sum: 'Jami',
  som: 'soʻm',
  tiyin: 'tiyinda',
  payments: 'Toʻlovlar: {0}',
  refunds: 'Qaytarishlar: {0}',
  receipts: 'Cheklar: {0}',
  preparing: 'Yakunlar tayyorlanmoqda: hali hisobga olinmagan oʻzgarishlar — {0}.',
  none: { title: 'Bu davrda toʻlov boʻlmagan', text: 'Toʻlov pul kartadan yechilgan kunga yoziladi. Boshqa kunlarni tanlang.' },
  explained:
    'Barcha summalar soʻmda. Toʻlov pul kartadan yechilgan kunga, qaytarish tarmoq pulni qaytargan kunga yoziladi. Jarayonda — shu kuni yaratilgan, xold qilingan, toʻlanayotgan yoki qaytarilayotgan, tasdiq yoki tekshiruv kutayotgan cheklar. Xizmat komissiya olmaydi.',
}

/** The texts of the page Daily totals. */
export const totalsMessages: Readonly<Record<Language, TotalsMessages>> = { en, ru, uz }
