import type { publicMethods } from './methods.ts'

/**
 * How the request log keeps a member (wire §7): `flag` a boolean, `number` of at most 11 digits, `moment` unix milliseconds told as a date,
 * `id` 24 hex digits, `card` a token of which its card id is kept, `mask` a masked card number, `phone` a phone that is masked here,
 * `word` a plain name without digits enough for a card, an account or a phone, `size` only what it is and how long, `secret` only that it came.
 */
export type Keeping = 'flag' | 'number' | 'moment' | 'id' | 'card' | 'mask' | 'phone' | 'word' | 'size' | 'secret'

/** Members by their path; `*` stands for every name. */
export type KeptMembers = Readonly<Record<string, Keeping>>

export interface LoggedMethod {
  readonly params: KeptMembers
  readonly result: KeptMembers
}

type PublicMethodName = keyof typeof publicMethods

const card: KeptMembers = {
  'card.number': 'mask',
  'card.expire': 'secret',
  'card.token': 'card',
  'card.recurrent': 'flag',
  'card.verify': 'flag',
  'card.type': 'word',
}

const receipt: KeptMembers = {
  'receipt._id': 'id',
  'receipt.state': 'number',
  'receipt.amount': 'number',
  'receipt.create_time': 'moment',
  'receipt.pay_time': 'moment',
  'receipt.cancel_time': 'moment',
  'receipt.card.number': 'mask',
  'receipt.error.code': 'number',
  'receipt.error.reason': 'word',
}

const token: KeptMembers = { token: 'card' }
const id: KeptMembers = { id: 'id' }
const success: KeptMembers = { success: 'flag' }

/**
 * All that the request log may keep of each method; what is not named here is not kept, whatever it is called. Account fields and the
 * merchant's own id of a payer are kept where they are plain names: they find a call again, and free text, phones and long numbers are none.
 */
export const loggedMembers: Readonly<Record<PublicMethodName, LoggedMethod>> = {
  'cards.create': {
    params: {
      'card.number': 'secret',
      'card.expire': 'secret',
      save: 'flag',
      'account.*': 'word',
      customer: 'word',
      amount: 'number',
      'consent.version': 'word',
      'consent.sha256': 'size',
      'consent.locale': 'word',
      'consent.at': 'moment',
      session: 'secret',
      form: 'size',
    },
    result: card,
  },
  'cards.get_verify_code': { params: token, result: { sent: 'flag', phone: 'mask', wait: 'number' } },
  'cards.verify': { params: { ...token, code: 'secret' }, result: card },
  'cards.check': { params: token, result: card },
  'cards.remove': { params: token, result: success },
  'receipts.create': {
    params: { amount: 'number', 'account.*': 'word', description: 'size', detail: 'size', hold: 'flag' },
    result: receipt,
  },
  'receipts.pay': {
    params: {
      ...{ ...id, ...token, hold: 'flag' },
      'payer.id': 'word',
      'payer.phone': 'phone',
      'payer.email': 'size',
      'payer.name': 'size',
      'payer.ip': 'size',
    },
    result: receipt,
  },
  'receipts.send': { params: { ...id, phone: 'phone' }, result: success },
  'receipts.cancel': { params: id, result: receipt },
  'receipts.check': { params: id, result: { state: 'number' } },
  'receipts.get': { params: id, result: receipt },
  'receipts.get_all': { params: { count: 'number', from: 'moment', to: 'moment', offset: 'number' }, result: {} },
  'receipts.confirm_hold': { params: { ...id, amount: 'number' }, result: receipt },
  'receipts.set_fiscal_data': {
    params: {
      ...id,
      'fiscal_data.receipt_id': 'number',
      'fiscal_data.qr_code_url': 'size',
      'fiscal_data.status_code': 'number',
      'fiscal_data.message': 'size',
      'fiscal_data.terminal_id': 'word',
      'fiscal_data.date': 'size',
      'fiscal_data.fiscal_sign': 'word',
    },
    result: success,
  },
  'form.sessions.create': {
    params: { origin: 'size', customer: 'word', save: 'word', locale: 'word', attempts: 'number', return: 'size' },
    result: { session: 'secret', expires_at: 'moment', page: 'secret' },
  },
  'form.sessions.get': { params: { session: 'secret' }, result: { state: 'word', expires_at: 'moment', ...card } },
  'form.sessions.show': {
    params: { session: 'secret' },
    result: { state: 'word', expires_at: 'moment', return: 'size', save: 'word', locale: 'word' },
  },
  'form.sessions.cancel': { params: { session: 'secret' }, result: { state: 'word' } },
  'rpc.discover': { params: {}, result: {} },
}
