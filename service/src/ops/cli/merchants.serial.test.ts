import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { makeScratch, startTesseraChild, until } from '../../testing/child.fixture.ts'
import type { Ended, Started, WireError } from '../../testing/child.fixture.ts'
import { startReceiver } from '../../domain/webhooks/receiver.fixture.ts'

// The commands about merchants, their users, webhooks and events, against a started service.

const scratch = makeScratch()
const demo = '65f0c0ffee0000000000cafe'
const unknownMerchant = '0'.repeat(24)
let service: Started

before(async () => {
  service = await startTesseraChild(join(scratch, 'data'))
})
after(() => service.stop())

async function facts<T>(...args: string[]): Promise<T> {
  const { code, out, err } = await service.ask(...args, '--json')
  assert.equal(code, 0, err + out)
  return JSON.parse(out) as T
}

function assertRefused({ code, out, err }: Ended, message: RegExp): void {
  assert.equal(code, 64, err)
  assert.equal(out, '')
  assert.match(err, message)
}

interface Shown {
  readonly merchantId: string
  readonly password: string
  readonly state: string
  readonly name: string
  readonly origins: readonly string[]
  readonly minAmount: number
  readonly strictServerAuth: boolean
  readonly refundUnconfirmedMax: number
  readonly requireSecondFactor: boolean
  readonly passwords: readonly { number: number; lastUsedAt: string | null; retiredAt: string | null }[]
}

async function post(
  method: string,
  params: object,
  xAuth: string,
  segment = `/${method}`,
): Promise<{ result?: unknown; error?: WireError }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(`${service.facts.url}/api${segment}`, { method: 'POST', headers: { 'x-auth': xAuth }, body })
  return (await response.json()) as { result?: unknown; error?: WireError }
}

async function codeOf(method: string, params: object, xAuth: string, segment?: string): Promise<number | null> {
  return (await post(method, params, xAuth, segment)).error?.code ?? null
}

test('a created merchant can call, is refused while it is blocked, and can call again', async () => {
  const { out } = await service.ask('merchants', 'create', '--name=My shop')
  const [, id = '', password = ''] = /^X-Auth of its server: ([0-9a-f]{24}):(\S{36})$/m.exec(out) ?? []
  const server = `${id}:${password}`
  assert.equal(await codeOf('receipts.create', { amount: 1 }, server), null)
  assert.equal(await codeOf('receipts.create', { amount: 1 }, `${id}:wrong`), -32504)
  assertRefused(await service.ask('merchants', 'block', id), /To confirm: tessera merchants block [0-9a-f]{24} --yes/)
  assert.equal(await codeOf('receipts.create', { amount: 1 }, server), null)
  assert.match((await service.ask('merchants', 'block', id, '--yes')).out, /is blocked/)
  assert.equal(await codeOf('receipts.create', { amount: 1 }, server), -31601)
  assert.equal(await codeOf('receipts.create', { amount: 1 }, `${id}:wrong`), -32504)
  assertRefused(await service.ask('merchants', 'block', id, '--yes'), /already blocked/)
  assert.match((await service.ask('merchants', 'unblock', id)).out, /is no longer blocked/)
  assert.equal(await codeOf('receipts.create', { amount: 1 }, server), null)
})

test('both passwords of a rotation are valid until the old one is retired', async () => {
  const made = await facts<Shown>('merchants', 'create', '--name', 'Rotating')
  const id = made.merchantId
  const { password } = await facts<Shown>('merchants', 'rotate-password', id)
  assert.notEqual(password, made.password)
  for (const each of [made.password, password]) assert.equal(await codeOf('receipts.create', { amount: 1 }, `${id}:${each}`), null)
  assertRefused(await service.ask('merchants', 'rotate-password', id), /retire the old one first/)
  assertRefused(await service.ask('merchants', 'retire-password', id), /--yes/)
  await until(
    async () => (await facts<Shown>('merchants', 'show', id)).passwords.every(({ lastUsedAt }) => lastUsedAt !== null),
    'both uses',
  )
  await facts('merchants', 'retire-password', id, '--yes')
  assert.equal(await codeOf('receipts.create', { amount: 1 }, `${id}:${made.password}`), -32504)
  assert.equal(await codeOf('receipts.create', { amount: 1 }, `${id}:${password}`), null)
  const { passwords } = await facts<Shown>('merchants', 'show', id)
  assert.deepEqual(
    passwords.map(({ number, retiredAt }) => [number, retiredAt === null]),
    [
      [2, true],
      [1, false],
    ],
  )
  assertRefused(await service.ask('merchants', 'retire-password', id, '--yes'), /the only active password/)
})

test('changed settings take effect at once', async () => {
  const fields = join(scratch, 'fields.json')
  writeFileSync(fields, JSON.stringify([{ name: 'order_id', title: { en: 'Order', ru: 'Заказ', uz: 'Buyurtma' }, required: true }]))
  const { merchantId: id, password } = await facts<Shown>('merchants', 'create', '--name', 'Settled')
  const server = `${id}:${password}`
  assert.equal(await codeOf('receipts.create', { amount: 1 }, server), null)
  const set = await facts<Shown>('merchants', 'set', id, `--account-fields=@${fields}`, '--min-amount=100', '--max-amount=200')
  assert.deepEqual([set.minAmount, set.name], [100, 'Settled'])
  for (const [params, code] of [
    [{ amount: 150 }, -31610],
    [{ amount: 99, account: { order_id: 1 } }, -31611],
    [{ amount: 201, account: { order_id: 1 } }, -31612],
    [{ amount: 200, account: { order_id: 1 } }, null],
  ] as const)
    assert.equal(await codeOf('receipts.create', params, server), code, JSON.stringify(params))
  const unknownToken = `${'0'.repeat(24)}_${'a'.repeat(43)}`
  assert.equal(await codeOf('cards.check', { token: unknownToken }, id, ''), -31400)
  await facts('merchants', 'set', id, '--strict-server-auth=on')
  assert.equal(await codeOf('cards.check', { token: unknownToken }, id, ''), -32504)
  const secured = await facts<Shown>('merchants', 'set', id, '--refund-unconfirmed-max=500000', '--require-second-factor=on')
  assert.deepEqual([secured.refundUnconfirmedMax, secured.requireSecondFactor], [500_000, true])
  const relaxed = await facts<Shown>('merchants', 'set', id, '--refund-unconfirmed-max=none', '--require-second-factor=off')
  assert.deepEqual([relaxed.refundUnconfirmedMax, relaxed.requireSecondFactor], [0, false])
  await facts('merchants', 'set', id, '--account-fields=none', '--min-amount=none', '--max-amount=none')
  assert.equal(await codeOf('receipts.create', { amount: 1 }, server), null)
})

test('merchants are listed with the demo merchant among them, a page at a time', async () => {
  const { merchants } = await facts<{ merchants: Shown[] }>('merchants', 'list')
  assert.ok(merchants.some(({ merchantId, name }) => merchantId === demo && name === 'Demo merchant'))
  const [first, second] = merchants
  const page = await facts<{ merchants: Shown[] }>('merchants', 'list', `--after=${first?.merchantId ?? ''}`, '--count=1')
  assert.deepEqual(page.merchants, [second])
  assert.match((await service.ask('merchants', 'list', '--count=1')).out, /There may be more: tessera merchants list --after/)
  assert.match((await service.ask('merchants', 'show', demo)).out, /^name +Demo merchant$/m)
})

test('invalid arguments are refused with what is expected, and nothing is changed', async () => {
  const before = await facts<Shown>('merchants', 'show', demo)
  for (const [args, message] of [
    [['create'], /tessera merchants create --name/],
    [['create', '--name='], /A name has 1 to 100 characters/],
    [['show'], /Usage: tessera merchants show <merchant>/],
    [['show', 'x'], /A merchant id is 24 hex digits/],
    [['show', unknownMerchant], /no such merchant: see tessera merchants list/],
    [['block', unknownMerchant, '--yes'], /no such merchant/],
    [['set', demo], /Nothing to change/],
    [['set', demo, '--origins=https://shop.example/'], /write https:\/\/shop\.example/],
    [['set', demo, '--account-fields={'], /must be JSON/],
    [['set', demo, '--account-fields=@/nowhere/x'], /cannot be read \(ENOENT\)/],
    [['set', demo, '--min-amount=1.5'], /whole number of tiyin/],
    [['set', demo, '--min-amount=7', '--max-amount=6'], /set both/],
    [['set', demo, '--strict-server-auth=yes'], /must be on or off/],
    [['set', demo, '--refund-unconfirmed-max=-1'], /whole number of tiyin/],
    [['set', demo, '--own-limits={"x":1}'], /There is no limit "x"/],
    [['set', demo, '--epos=1/2/3'], /must be <merchant id>\/<terminal id>/],
    [['list', '--count=0'], /whole number/],
    [['list', '--count=501'], /from 1 to 500/],
    [['list', '--after=x'], /--after must be a merchant id/],
    [['retire-password', demo, '--number=x', '--yes'], /--number must be a whole number/],
  ] as const)
    assertRefused(await service.ask('merchants', ...args), message)
  const { passwords: _before, ...unchanged } = before
  const { passwords: _after, ...now } = await facts<Shown>('merchants', 'show', demo)
  assert.deepEqual(now, unchanged)
})

test('the audit verifies after changes to merchants', async () => {
  assert.deepEqual((await facts<{ findings: unknown[] }>('audit', 'verify')).findings, [])
})

test('commands about endpoints and events of an unknown merchant are refused', async () => {
  for (const args of [
    ['webhooks', 'list'],
    ['webhooks', 'remove'],
    ['webhooks', 'rotate-secret'],
    ['webhooks', 'add', '--url=https://shop.example/hook'],
    ['events', 'list'],
    ['events', 'dead'],
    ['events', 'replay', unknownMerchant],
    ['events', 'replay-failed'],
  ])
    assertRefused(await service.ask(...args, `--merchant=${unknownMerchant}`), /There is no merchant 0{24}: see tessera merchants list/)
})

test('a delivered event can be replayed, and an endpoint can be removed', async () => {
  const receiver = await startReceiver()
  try {
    assertRefused(await service.ask('webhooks', 'remove'), /no such endpoint/)
    await facts('webhooks', 'add', `--url=${receiver.url}`)
    const xAuth = `${demo}:${service.facts.demo?.password ?? ''}`
    const { result } = (await post('receipts.create', { amount: 1 }, xAuth)) as { result: { receipt: { _id: string } } }
    await post('receipts.cancel', { id: result.receipt._id }, xAuth)
    await until(() => receiver.heard.length === 1, 'the event')
    const listed = async () => (await facts<{ events: { eventId: string; deliveries: { state: string }[] }[] }>('events', 'list')).events
    await until(async () => (await listed())[0]?.deliveries[0]?.state === 'delivered', 'the recorded delivery')
    const eventId = (await listed())[0]?.eventId ?? ''
    assert.match((await service.ask('events', 'dead')).out, /^No dead deliveries\.$/m)
    assert.match((await service.ask('events', 'replay', eventId)).out, /delivered again to 1 endpoint\(s\)/)
    await until(() => receiver.heard.length === 2, 'the event again')
    assert.equal(receiver.heard[1]?.id, receiver.heard[0]?.id)
    assertRefused(await service.ask('events', 'replay', unknownMerchant), /Unknown event/)
    assertRefused(await service.ask('events', 'replay', 'x'), /An event id is 24 hex digits/)
    assertRefused(await service.ask('events', 'dead', '--count=0'), /from 1 to 500/)
    assertRefused(await service.ask('events', 'replay-failed', '--from=x'), /--from must be a time/)
    const none = await service.ask('events', 'replay-failed', `--url=${receiver.url}`, '--from=2026-01-01')
    assert.match(none.out, /^0 failed event\(s\) will be delivered again to http/m)
    assert.match((await service.ask('webhooks', 'remove', `--url=${receiver.url}`)).out, /Endpoint .* was removed/)
    assert.match((await service.ask('webhooks', 'list')).out, /^No endpoints\.$/m)
  } finally {
    await receiver.close()
  }
})

test('dashboard users are created, listed, blocked and given a new password', async () => {
  const made = await facts<{ userId: string; password: string }>(
    'dashboard',
    'users',
    'create',
    demo,
    '--phone=998907654321',
    '--role=support',
  )
  assert.match(made.userId, /^[0-9a-f]{24}$/)
  assert.ok(made.password.length >= 12)
  const list = async () =>
    (await facts<{ users: { userId: string; role: string; state: string }[] }>('dashboard', 'users', 'list', demo)).users
  const listed = (await list()).find(({ userId }) => userId === made.userId)
  assert.deepEqual([listed?.role, listed?.state], ['support', 'active'])
  const issued = await facts<{ password: string }>('dashboard', 'users', 'reset-password', demo, made.userId)
  assert.notEqual(issued.password, made.password)
  const text = await service.ask('dashboard', 'users', 'block', demo, made.userId)
  assert.equal(text.code, 0, text.err)
  assert.equal((await list()).find(({ userId }) => userId === made.userId)?.state, 'blocked')
  const again = await service.ask('dashboard', 'users', 'create', demo, '--phone=998907654321')
  assert.notEqual(again.code, 0, 'one phone is one login')
})

test('the endpoint of a merchant is set, tested and removed', async () => {
  const file = join(scratch, 'endpoint-password')
  writeFileSync(file, 'a password of the endpoint\n')
  // No server listens on port 1.
  const url = 'http://127.0.0.1:1/'
  const set = await service.ask('merchants', 'endpoint', 'set', demo, `--url=${url}`, `--password-file=${file}`)
  assert.equal(set.code, 0, set.err)
  assert.ok(set.out.includes(url) && !set.out.includes('a password of the endpoint'), set.out)
  const tried = await service.ask('merchants', 'endpoint', 'test', demo, '--sum=1000')
  assert.notEqual(tried.code, 0)
  assert.match(tried.out + tried.err, /No valid reply: unreachable/)
  assert.match((await service.ask('merchants', 'endpoint', 'remove', demo)).out, /The endpoint of merchant [0-9a-f]{24} was removed/)
})
