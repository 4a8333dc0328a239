import type { DetailedRequestRow } from '../request-log.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

/** A call of the request log; a higher number is later. */
export function makeRequest(number: number, over: Partial<DetailedRequestRow> = {}): DetailedRequestRow {
  return {
    bucket,
    merchantId: sampleMerchantId,
    at: T0 + number,
    requestId: `abcdef${String(number).padStart(6, '0')}abcdef000000`,
    method: 'cards.create',
    profile: 'spec',
    code: 0,
    reason: '',
    micros: 1234,
    caller: 'server',
    cardId: '',
    lost: 0,
    lostFrom: 0,
    bytes: 99,
    detail: '{"data":"","params":{"list":[],"more":0},"result":{"list":[],"more":0}}',
    ...over,
  }
}
