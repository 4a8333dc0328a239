import { smsErrorText, type SmsDeliveryReport } from '../sms.ts'

import type { DeliverBody } from './pdu.ts'

/**
 * How a message centre writes the id of a message in its response and in the text of its delivery receipt: the same in both, or hexadecimal in one and
 * decimal in the other.
 */
export type MessageIdRadix = 'same' | 'hex_response' | 'hex_receipt'

/** The id of a response, as it is stored: in decimal where the radix differs. */
export function idOfResponse(id: string, radix: MessageIdRadix): string {
  return radix === 'same' ? id : toDecimal(id, radix === 'hex_response' ? 16 : 10)
}

/**
 * Reads a delivery receipt. Null for a message from a phone, for a state that is not final, and for a receipt without an id. The parameter
 * `receipted_message_id` has the id as in the response (§5.3.2.12); the text (appendix B) may have another radix.
 */
export function readReceipt({ esmClass, message, options }: DeliverBody, radix: MessageIdRadix): SmsDeliveryReport | null {
  if ((esmClass & messageTypeMask) !== receiptType) return null
  const text = message.toString('latin1')
  const gatewayMessageId = findId(text, options, radix)
  const state = findState(text, options)
  if (gatewayMessageId === '' || state === null) return null
  const code = /\berr:([0-9A-Za-z]{1,8})/.exec(text)?.[1] ?? ''
  return state === 'DELIVRD'
    ? { gatewayMessageId, outcome: 'delivered' }
    : { gatewayMessageId, outcome: 'failed', error: smsErrorText(`${state} ${code}`, state) }
}

function findId(text: string, options: DeliverBody['options'], radix: MessageIdRadix): string {
  const given = options.get(receiptedMessageId)?.toString('latin1').replace(/\0.*$/s, '') ?? ''
  if (given !== '') return idOfResponse(given, radix)
  const written = /\bid:([!-~]{1,64})/.exec(text)?.[1] ?? ''
  return radix === 'same' ? written : toDecimal(written, radix === 'hex_receipt' ? 16 : 10)
}

/** The names of the text for the final states of §5.2.28. */
function findState(text: string, options: DeliverBody['options']): string | null {
  const state = options.get(messageState)?.[0]
  const name = state === undefined ? (/\bstat:([A-Z]{5,8})/.exec(text)?.[1] ?? '') : (stateNames[state] ?? '')
  return finalStates.has(name) ? name : null
}

/** An id that is no number of this radix stays as it is. */
function toDecimal(id: string, radix: 10 | 16): string {
  const isNumber = radix === 16 ? /^[0-9a-f]{1,32}$/i.test(id) : /^[0-9]{1,40}$/.test(id)
  return isNumber ? BigInt(radix === 16 ? `0x${id}` : id).toString() : id
}

const messageTypeMask = 0x3c
const receiptType = 0x04
const receiptedMessageId = 0x001e
const messageState = 0x0427
const stateNames: Readonly<Record<number, string>> = { 2: 'DELIVRD', 3: 'EXPIRED', 4: 'DELETED', 5: 'UNDELIV', 7: 'UNKNOWN', 8: 'REJECTD' }
/** `ENROUTE` and `ACCEPTD` are followed by another receipt. */
const finalStates: ReadonlySet<string> = new Set(['DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'UNKNOWN', 'REJECTD'])
