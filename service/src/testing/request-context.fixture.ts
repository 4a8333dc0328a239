import { bucketOf } from '@tessera/vault/id'

import type { AuditActor, CallerIdentity, RequestContext } from '../domain/request-context.ts'
import { randomHex } from './random.fixture.ts'

/** The context of a request from a merchant's server in the `spec` profile, with the given changes. */
export function makeTestContext(merchantId: string, parts: Partial<RequestContext<unknown>> = {}): RequestContext<unknown> {
  const bucket = bucketOf(merchantId)
  const caller: CallerIdentity = { merchantId, bucket, kind: 'server' }
  return {
    caller,
    merchantId,
    bucket,
    actor: `merchant:${merchantId}`,
    requestId: randomHex(24),
    profile: 'spec',
    language: 'en',
    address: '127.0.0.1',
    origin: null,
    cardNumber: null,
    signal: new AbortController().signal,
    idempotency: null,
    ...parts,
  }
}

/** An operator, for functions of the domain that are called without a request. */
export const operatorActor: AuditActor = { actor: 'operator', requestId: '', address: '' }
