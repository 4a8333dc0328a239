import type { PublicOperationName } from './operations.ts'

/**
 * How the request log stores a member: `flag` a boolean, `number` of at most 11 digits, `moment` unix milliseconds as a date, `id` 24 hex digits,
 * `card` the card id of a token, `mask` a masked card number, `phone` a phone number, masked, `word` a plain name with too few digits for a card, an
 * account or a phone, `size` only the type and length, `secret` only that it was present.
 */
export type MemberLogRule = 'flag' | 'number' | 'moment' | 'id' | 'card' | 'mask' | 'phone' | 'word' | 'size' | 'secret'

/** Members by their path; `*` stands for every name. */
export type MemberLogRules = Readonly<Record<string, MemberLogRule>>

export interface OperationLogRules {
  readonly params: MemberLogRules
  readonly result: MemberLogRules
}

const card: MemberLogRules = {
  'card.number': 'mask',
  'card.expire': 'secret',
  'card.token': 'card',
  'card.recurrent': 'flag',
  'card.verify': 'flag',
  'card.type': 'word',
}

const receipt: MemberLogRules = {
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

const token: MemberLogRules = { token: 'card' }
const id: MemberLogRules = { id: 'id' }
const success: MemberLogRules = { success: 'flag' }

/**
 * Everything that the request log may store of each operation; a member that is not listed is not stored. Account fields and the merchant's own id of
 * a payer are stored when they are plain names, so that a call can be found by them; free text, phones and long numbers are not.
 */
export const operationLogRules: Readonly<Record<PublicOperationName, OperationLogRules>> = {
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
      ...id,
      ...token,
      hold: 'flag',
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
