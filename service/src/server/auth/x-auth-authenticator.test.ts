import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type PublicCaller, publicOperations, type PublicOperationName } from '@tessera/contract/operations'

import type { CallerAuthentication, RequestCredentials } from './authenticator.ts'
import { identifyCaller, type AllowedOrigins } from './x-auth-authenticator.ts'
import {
  blockedId,
  credentials,
  pipelineMerchantId,
  password,
  createTestPipeline,
  request,
  shopOrigin,
  strictId,
} from '../../testing/pipeline.fixture.ts'

const origins: AllowedOrigins = { isAnyAllowed: false, formOrigin: 'https://form.example' }
const unknownId = '000000000000000000000000'
const server = `${pipelineMerchantId}:${password}`

test('the callers of each operation, in both profiles', async () => {
  const all: PublicCaller[] = ['browser', 'server', 'serverInSpec', 'nobody']
  const table: [xAuth: string | null, spec: (string | null)[], subscribe: (string | null)[]][] = [
    [pipelineMerchantId, [null, 'serverOnly', 'serverOnly', null], [null, 'serverOnly', null, null]],
    [server, [null, null, null, null], [null, null, null, null]],
    [strictId, [null, 'serverOnly', 'serverOnly', null], [null, 'serverOnly', 'serverOnly', null]],
    [`${strictId}:${password}`, [null, null, null, null], [null, null, null, null]],
    [`${pipelineMerchantId}:wrong`, denied('accessDenied'), denied('accessDenied')],
    [`${pipelineMerchantId}:`, denied('accessDenied'), denied('accessDenied')],
    [`${unknownId}:${password}`, denied('merchantUnknown'), denied('merchantUnknown')],
    [unknownId, denied('merchantUnknown'), denied('merchantUnknown')],
    [null, denied('accessDenied'), denied('accessDenied')],
  ]
  for (const [xAuth, spec, subscribe] of table)
    for (const [i, needed] of all.entries()) {
      assert.equal(await faultOf(needed, { xAuth, profile: 'spec' }), spec[i], `${xAuth} ${needed} spec`)
      assert.equal(await faultOf(needed, { xAuth, profile: 'subscribe' }), subscribe[i], `${xAuth} ${needed} subscribe`)
    }
})

test('a password of scope cards may call cards.* and form.sessions.* only, one of scope full every operation', async () => {
  const names = (Object.keys(publicOperations) as PublicOperationName[]).filter((name) => publicOperations[name].caller !== 'nobody')
  const refused = (['cards', 'full'] as const).map((passwordScope) =>
    names.filter((name) => {
      const checked = {
        kind: 'server',
        merchantId: pipelineMerchantId,
        bucket: 7,
        blocked: false,
        origins: [],
        strictServerAuth: false,
        passwordScope,
      } as const
      const { fault } = identifyCaller(
        { name, caller: publicOperations[name].caller },
        makeCredentials({ xAuth: server }),
        checked,
        origins,
      )
      if (fault !== null) assert.deepEqual(fault, { entry: 'passwordScope' })
      return fault !== null
    }),
  )
  const others = names.filter((name) => !/^(cards|form\.sessions)\./.test(name))
  assert.ok(others.includes('receipts.pay') && others.length < names.length)
  assert.deepEqual(refused, [others, []])
})

test('a password that comes from a browser is refused, right or wrong, known or unknown', async () => {
  for (const xAuth of [server, `${pipelineMerchantId}:wrong`, `${unknownId}:x`])
    for (const needed of ['browser', 'server', 'serverInSpec'] as const)
      for (const origin of [null, shopOrigin])
        assert.equal(await faultOf(needed, { xAuth, isFromBrowser: true, origin }), 'credentialInBrowser', xAuth)
  assert.equal(await faultOf('browser', { xAuth: pipelineMerchantId, isFromBrowser: true }), null)
  assert.equal(await faultOf('nobody', { xAuth: server, isFromBrowser: true }), null)
})

test('the password is checked even where the reply does not depend on it, so that no reply comes sooner', async () => {
  const evaluated: (string | null)[] = []
  const watching = { authenticate: (xAuth: string | null) => (evaluated.push(xAuth), credentials.authenticate(xAuth)) }
  for (const xAuth of [server, `${pipelineMerchantId}:wrong`, `${unknownId}:x`, null])
    await createTestPipeline({ credentials: watching }).answer(request({ id: 1, method: 'cards.check' }, { xAuth, isFromBrowser: true }))
  assert.deepEqual(evaluated, [server, `${pipelineMerchantId}:wrong`, `${unknownId}:x`, null])
})

test('a page may call from its merchant’s origins and from the form’s, letter for letter', async () => {
  const cases: [origin: string | null, fault: string | null][] = [
    [null, null],
    [shopOrigin, null],
    ['https://form.example', null],
    ['https://other.example', 'originNotAllowed'],
    ['null', 'originNotAllowed'],
    [`${shopOrigin}/`, 'originNotAllowed'],
    [`${shopOrigin}:443`, 'originNotAllowed'],
    [shopOrigin.toUpperCase(), 'originNotAllowed'],
    ['', 'originNotAllowed'],
  ]
  for (const [origin, fault] of cases)
    assert.equal(await faultOf('browser', { origin, isFromBrowser: origin !== null }), fault, String(origin))
  const { fault } = await authenticate('browser', { origin: 'https://other.example' }, { isAnyAllowed: true, formOrigin: null })
  assert.equal(fault, null)
})

test('a merchant learns that it is blocked only behind a right password, or by its id where that is enough', async () => {
  assert.equal(await faultOf('browser', { xAuth: blockedId }), 'merchantBlocked')
  assert.equal(await faultOf('server', { xAuth: `${blockedId}:${password}` }), 'merchantBlocked')
  assert.equal(await faultOf('server', { xAuth: `${blockedId}:wrong` }), 'accessDenied')
  assert.equal(await faultOf('server', { xAuth: blockedId }), 'serverOnly')
  assert.equal(await faultOf('browser', { xAuth: blockedId, origin: 'https://other.example' }), 'originNotAllowed')
})

test('an unknown merchant id is reported as such, since ids are public; a wrong password is only denied', async () => {
  const unknown = await authenticate('browser', { xAuth: unknownId }, origins)
  assert.deepEqual(unknown.fault, { entry: 'merchantUnknown', data: 'invalid_id' })
  const wrong = await authenticate('browser', { xAuth: `${pipelineMerchantId}:x` }, origins)
  assert.deepEqual(wrong, {
    identity: { merchantId: '', bucket: 0, kind: 'browser', limits: null },
    merchantId: null,
    fault: { entry: 'accessDenied' },
  })
})

test('a caller that has authenticated is logged, also when it may not call the operation', async () => {
  const shown = await authenticate('server', { xAuth: pipelineMerchantId }, origins)
  assert.deepEqual([shown.merchantId, shown.fault?.entry], [pipelineMerchantId, 'serverOnly'])
  const right = await authenticate('server', { xAuth: server }, origins)
  assert.deepEqual(right, {
    identity: { merchantId: pipelineMerchantId, bucket: 7, kind: 'server', limits: null },
    merchantId: pipelineMerchantId,
    fault: null,
  })
})

function denied(entry: string): (string | null)[] {
  return [entry, entry, entry, null]
}

async function authenticate(needed: PublicCaller, overrides: Partial<RequestCredentials>, rule = origins): Promise<CallerAuthentication> {
  const sent = makeCredentials(overrides)
  return identifyCaller(
    { name: 'receipts.pay', caller: needed },
    sent,
    needed === 'nobody' ? null : await credentials.authenticate(sent.xAuth),
    rule,
  )
}

function makeCredentials(overrides: Partial<RequestCredentials>): RequestCredentials {
  return { xAuth: pipelineMerchantId, origin: null, isFromBrowser: false, profile: 'spec', ...overrides }
}

async function faultOf(needed: PublicCaller, overrides: Partial<RequestCredentials>): Promise<string | null> {
  return (await authenticate(needed, overrides)).fault?.entry ?? null
}
