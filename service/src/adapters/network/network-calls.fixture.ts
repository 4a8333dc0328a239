import assert from 'node:assert/strict'

import { readPan, type Expiry } from '@tessera/contract/card'

import type { Clock } from '../../clock.ts'
import { makeHttpPost, makeHttpRequest, type HttpClient, type HttpPost } from '../http/http-post.ts'

import type { FollowUpRequest, Network, NetworkCard, NetworkOutcome } from './network.ts'

/** A network adapter under test. */
export interface NetworkUnderTest {
  readonly network: Network
  /** A card that the double of the network approves. */
  readonly goodPan: string
}

/** The merchant of every call. */
export const callingMerchantId = '65f0c0ffee0000000000cafe'

/** More than a network keeps a call in a queue. */
export const queuePassedMs = 6 * 60_000

export function networkCardOf(number: string): NetworkCard {
  const pan = readPan(Buffer.from(number))
  assert.ok(typeof pan !== 'string')
  return { merchantId: callingMerchantId, pan, expiry: '0399' as Expiry }
}

/** What an adapter calls its host by, here one on loopback. No connection is opened while the line is cut. */
export function makeNetworkHttp(
  clock: Clock,
  line: { readonly isCut: boolean } = { isCut: false },
): { readonly http: HttpPost; readonly request: HttpClient } {
  const guard = { choose: async () => (line.isCut ? null : { address: '127.0.0.1', family: 4 }) }
  const options = { guard, clock, timeoutMs: 60_000, replyBytesMax: 64 * 1024 }
  return { http: makeHttpPost(options), request: makeHttpRequest(options) }
}

/** Debits the card, or holds the money: 500 tiyin by the request r1. */
export async function payByCard(
  { network, goodPan }: NetworkUnderTest,
  { hold = false, requestId = 'r1', signal = new AbortController().signal } = {},
): Promise<{ readonly trace: string; readonly outcome: NetworkOutcome; readonly networkRef: string }> {
  const trace = (await network.issueTrace?.('authorise')) ?? ''
  const outcome = await network.authorize({ ...networkCardOf(goodPan), requestId, receiptId: 'r', trace, amountTiyin: 500, hold }, signal)
  return { trace, outcome, networkRef: outcome.kind === 'approved' ? outcome.networkRef : '' }
}

/** The request r2 about the payment r1. */
export async function followUpOf(
  { network }: NetworkUnderTest,
  of: Pick<FollowUpRequest, 'ofTrace'> & Partial<FollowUpRequest>,
): Promise<FollowUpRequest> {
  const trace = (await network.issueTrace?.('reverse')) ?? ''
  const defaults = {
    requestId: 'r2',
    merchantId: callingMerchantId,
    ofRequestId: 'r1',
    networkRef: '',
    amountTiyin: 500,
    ofAmountTiyin: 500,
    ofHold: false,
    isRepeat: false,
  }
  return { ...defaults, trace, ...of }
}
