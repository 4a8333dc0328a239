import { bucket, sampleMerchantId, T0 } from '../../store/suite/samples.fixture.ts'

import type { RequestRow } from './request-row.ts'

/** A call of the request log; a higher number is later. */
export function makeRequest(number: number, over: Partial<RequestRow> = {}): RequestRow {
  const at = over.at ?? T0 + number
  return {
    bucket,
    merchantId: sampleMerchantId,
    at,
    requestId: `${Math.floor(at / 1000)
      .toString(16)
      .padStart(8, '0')}e${String(number).padStart(7, '0')}e0000000`,
    method: 'cards.create',
    profile: 'spec',
    code: 0,
    reason: '',
    micros: 1234,
    caller: 'server',
    cardId: '',
    addressClass: 'public',
    lost: 0,
    lostFrom: 0,
    bytes: 99,
    detail: { data: '', params: { list: [], more: 0 }, result: { list: [], more: 0 } },
    ...over,
  }
}

/** One member that may be shown. */
export function shownMember(path: string, value: string | number): RequestRow['detail']['params']['list'][number] {
  return { path, value, hidden: null, size: 0 }
}
