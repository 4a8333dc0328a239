import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { errorEntry, errors, type ErrorName } from '@tessera/contract/errors'

import type { IdempotencyHandle } from '../domain/idempotency/handle.ts'
import { pipelineMerchantId, password, refusing, createTestPipeline } from '../testing/pipeline.fixture.ts'
import type { Idempotency } from '../domain/idempotency/idempotency.ts'
import type { CoarseLimits } from './rate-limits/coarse-limits.ts'
import type { PasswordThrottle } from './auth/password-throttle.ts'
import { listenOnFreePort, post } from '../testing/raw.fixture.ts'

/** The stages of docs/reference/wire.md#envelope in their order, each with the ways in which a request is wrong there. */
const stages: readonly (readonly ErrorName[])[] = [
  ['notPost'],
  ['byteOrderMark', 'invalidUtf8', 'loneSurrogate', 'invalidJson'],
  [
    'queryNotAllowed',
    'notAnObject',
    'duplicateKey',
    'forbiddenMember',
    'tooDeep',
    'tooManyMembers',
    'batchNotHere',
    'batchTooLong',
    'idempotencyInBatch',
    'idempotencyKeyInvalid',
    'invalidRequestId',
    'invalidVersion',
    'methodMissing',
    'pathMismatch',
  ],
  ['methodNotFound'],
  ['credentialInBrowser', 'passwordLimit', 'accessDenied', 'merchantUnknown', 'serverOnly', 'originNotAllowed', 'merchantBlocked'],
  ['addressLimit', 'blockLimit', 'merchantLimit'],
  ['sensitiveAuthenticationData', 'panOutOfPlace', 'paramsNotObject', 'memberMissing', 'memberInvalid'],
  ['idempotencyMismatch'],
  ['panLimit', 'distinctPanLimit', 'tokenLimit', 'phoneLimit'],
  ['cardNotFound', 'wrongCode'],
  ['systemError', 'networkTimeout'],
]

/** Sets of ways of which a request can have only one: they change the same thing, or one leaves no place for the other. */
const exclusive: readonly (readonly ErrorName[])[] = [
  ['methodMissing', 'pathMismatch'],
  // Only a method that changes something has a use for the key.
  ['idempotencyKeyInvalid', 'methodMissing'],
  ['idempotencyKeyInvalid', 'methodNotFound'],
  ['idempotencyKeyInvalid', 'idempotencyInBatch', 'idempotencyMismatch'],
  ['methodMissing', 'methodNotFound'],
  ['pathMismatch', 'batchTooLong'],
  ['pathMismatch', 'idempotencyInBatch'],
  ['paramsNotObject', 'memberMissing'],
  ['paramsNotObject', 'memberInvalid'],
  ['methodNotFound', 'serverOnly'],
  ['accessDenied', 'merchantUnknown', 'serverOnly', 'merchantBlocked'],
  // The one has a password, the other lacks it.
  ['credentialInBrowser', 'serverOnly'],
  // Who names an origin is a browser.
  ['passwordLimit', 'originNotAllowed'],
  ['addressLimit', 'blockLimit', 'merchantLimit'],
  ['panLimit', 'distinctPanLimit', 'tokenLimit', 'phoneLimit'],
  ['cardNotFound', 'wrongCode', 'networkTimeout', 'systemError'],
  ['notAnObject', ...stages.slice(3).flat()],
  ['notAnObject', 'duplicateKey', 'forbiddenMember', 'tooDeep', 'tooManyMembers'],
  ['notAnObject', 'idempotencyKeyInvalid', 'invalidRequestId', 'invalidVersion', 'methodMissing', 'pathMismatch'],
]

/** An invalid batch is refused as a whole, before any of its calls is evaluated. */
const ofWholeBatch: readonly ErrorName[] = ['batchNotHere', 'batchTooLong', 'idempotencyInBatch']

let now: ReadonlySet<ErrorName> = new Set()
const idempotency: Pick<Idempotency, 'once'> = {
  once: async (_request, operation) => {
    refuseIf('idempotencyMismatch')
    return operation.run({} as IdempotencyHandle<object>)
  },
}
const limits: CoarseLimits = { check: () => refuseIf('addressLimit', 'blockLimit', 'merchantLimit') }
const passwords: PasswordThrottle = {
  authenticate: async (credentials, { xAuth, isFromBrowser }) => {
    // The throttle looks at no browser's password.
    if (!isFromBrowser) refuseIf('passwordLimit')
    return credentials.authenticate(xAuth)
  },
}
const { answer } = createTestPipeline({ idempotency, limits, passwords }, () => {
  refuseIf('panLimit', 'distinctPanLimit', 'tokenLimit', 'phoneLimit')
  refuseIf('cardNotFound', 'wrongCode', 'networkTimeout', 'systemError')
  return {}
})
const app = await listenOnFreePort({ handle: answer })
after(() => app.close())
const client = await app.open()

test('a request with one fault gets that error, and a request without a fault gets its result', async () => {
  assert.equal(await reasonFor(), undefined)
  for (const error of stages.flat()) assert.equal(await reasonFor(error), errorEntry(error).reason)
})

test('of faults of two stages the earlier stage’s is reported, for every pair of faults', async () => {
  let pairs = 0
  for (const [stage, ways] of stages.entries())
    for (const earlier of ways)
      for (const later of stages.slice(stage + 1).flat()) {
        if (areExclusive(earlier, later)) continue
        assert.equal(await reasonFor(earlier, later), errorEntry(earlier).reason, `${earlier} before ${later}`)
        pairs++
      }
  assert.ok(pairs > 380, `${pairs} pairs`)
})

test('within a stage the order of the table of errors decides', async () => {
  let pairs = 0
  for (const ways of stages.slice(2))
    for (const [i, earlier] of ways.entries())
      for (const later of ways.slice(i + 1)) {
        const isOfCall = !ofWholeBatch.includes(earlier) && earlier !== 'queryNotAllowed'
        if (areExclusive(earlier, later) || (isOfCall && ofWholeBatch.includes(later))) continue
        assert.equal(await reasonFor(earlier, later), errorEntry(earlier).reason, `${earlier} before ${later}`)
        pairs++
      }
  assert.ok(pairs > 60, `${pairs} pairs`)
})

test('the table of errors and this one have the same order', () => {
  const table = Object.keys(errors)
  const places = stages.flat().map((error) => table.indexOf(error))
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
})

/** Sends one request that is wrong in all these ways; the reason of its answer, undefined for a result. */
async function reasonFor(...ways: ErrorName[]): Promise<string | undefined> {
  now = new Set(ways)
  const body = bodyOf(now)
  const headers = [...headersOf(now), `Content-Length: ${body.length}`]
  const head = post(pathOf(now), '', headers).replace('POST', now.has('notPost') ? 'PUT' : 'POST')
  client.write(Buffer.concat([Buffer.from(head), body]))
  const reply = JSON.parse((await client.next()).body) as Reply | Reply[]
  return (Array.isArray(reply) ? reply[0] : reply)?.error?.reason
}

interface Reply {
  readonly error?: { readonly reason: string }
}

function pathOf(wrong: ReadonlySet<ErrorName>): string {
  const isAtApi = !wrong.has('batchNotHere') && (wrong.has('batchTooLong') || wrong.has('idempotencyInBatch'))
  const segment = wrong.has('pathMismatch') ? '/cards.verify' : `/${methodOf(wrong)}`
  return `/api${isAtApi ? '' : segment}${wrong.has('queryNotAllowed') ? '?debug=1' : ''}`
}

function methodOf(wrong: ReadonlySet<ErrorName>): string {
  if (wrong.has('methodNotFound')) return 'cards.steal'
  return wrong.has('serverOnly') ? 'cards.remove' : 'cards.create'
}

function headersOf(wrong: ReadonlySet<ErrorName>): string[] {
  const headers = [`X-Auth: ${xAuthOf(wrong)}`]
  if (wrong.has('credentialInBrowser')) headers.push('Sec-Fetch-Site: cross-site')
  if (wrong.has('originNotAllowed')) headers.push('Origin: https://other.example')
  if (wrong.has('idempotencyInBatch') || wrong.has('idempotencyMismatch')) headers.push('Idempotency-Key: k')
  if (wrong.has('idempotencyKeyInvalid')) headers.push('Idempotency-Key: two words')
  return headers
}

function xAuthOf(wrong: ReadonlySet<ErrorName>): string {
  const id = idOf(wrong)
  if (wrong.has('credentialInBrowser')) return `${id}:${wrong.has('accessDenied') ? 'wrong' : password}`
  return wrong.has('accessDenied') ? `${id}\r\nX-Auth: ${id}` : id
}

function idOf(wrong: ReadonlySet<ErrorName>): string {
  if (wrong.has('merchantUnknown')) return '000000000000000000000000'
  if (wrong.has('merchantBlocked')) return '65f0c0ffee00000000b10c0d'
  // cards.remove with the id alone is for servers in the spec profile; in a batch there is only the other one.
  return wrong.has('serverOnly') ? '65f0c0ffee000000005741c7' : pipelineMerchantId
}

function bodyOf(wrong: ReadonlySet<ErrorName>): Buffer {
  const call = wrong.has('notAnObject') ? '5' : callOf(wrong)
  const length = wrong.has('batchTooLong') ? 21 : 1
  const isBatch = ofWholeBatch.some((way) => wrong.has(way))
  const text = isBatch ? `[${Array.from({ length }, () => call).join(',')}]` : call
  return Buffer.concat([
    Buffer.from(wrong.has('byteOrderMark') ? '\ufeff' : ''),
    Buffer.from(wrong.has('loneSurrogate') ? `["\\udc00",${text}]` : text),
    Buffer.from(wrong.has('invalidJson') ? ',' : ''),
    Buffer.from(wrong.has('invalidUtf8') ? [0xff] : []),
  ])
}

function callOf(wrong: ReadonlySet<ErrorName>): string {
  const members = [`"id":${wrong.has('invalidRequestId') ? '1.5' : '1'}`, `"jsonrpc":${wrong.has('invalidVersion') ? '"3.0"' : '"2.0"'}`]
  if (!wrong.has('methodMissing')) members.push(`"method":"${methodOf(wrong)}"`)
  members.push(`"params":${paramsOf(wrong)}`)
  if (wrong.has('duplicateKey')) members.push('"a":1,"a":2')
  if (wrong.has('forbiddenMember')) members.push('"constructor":1')
  if (wrong.has('tooDeep')) members.push(`"deep":${'['.repeat(16)}${']'.repeat(16)}`)
  if (wrong.has('tooManyMembers')) members.push(`"many":[${'0,'.repeat(256)}0]`)
  return `{${members.join(',')}}`
}

function paramsOf(wrong: ReadonlySet<ErrorName>): string {
  const members = [
    wrong.has('memberMissing') ? '"card":{"number":"8600069195406311"}' : '"card":{"number":"8600069195406311","expire":"0399"}',
  ]
  if (wrong.has('serverOnly')) members[0] = '"token":"t"'
  if (wrong.has('memberInvalid')) members.push('"save":1')
  if (wrong.has('sensitiveAuthenticationData')) members.push('"cvv":"1"')
  if (wrong.has('panOutOfPlace')) members.push('"note":"8600 0691 9540 6311"')
  const isArray = wrong.has('paramsNotObject')
  return isArray ? `[{${members.slice(1).join(',')}}]` : `{${members.join(',')}}`
}

function areExclusive(a: ErrorName, b: ErrorName): boolean {
  return exclusive.some(
    (ways) => (ways[0] === 'notAnObject' ? [a, b].includes('notAnObject') : true) && ways.includes(a) && ways.includes(b),
  )
}

function refuseIf(...entries: ErrorName[]): void {
  for (const entry of entries) if (now.has(entry)) refusing(entry)()
}
