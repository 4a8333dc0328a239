import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

import { publicOperations } from '@tessera/contract/operations'

import { requestCurl, timestampPaths, type CurlTarget } from './request-curl.ts'

type LoggedRequest = Parameters<typeof requestCurl>[0]
type Member = LoggedRequest['params']['list'][number]

function logged(entry: Partial<LoggedRequest['entry']>, list: readonly Member[], result: readonly Member[] = []): LoggedRequest {
  const request = {
    entry: { method: 'cards.create', profile: 'spec', caller: 'server', ...entry },
    params: { list: [...list], more: 0 },
    result: { list: [...result], more: 0 },
  }
  return request as LoggedRequest
}

const plain = (path: string, value: Member['value']): Member => ({ path, value, hidden: null, size: 0 })
const hidden = (path: string, why: Member['hidden']): Member => ({ path, value: null, hidden: why, size: 5 })

const live: CurlTarget = { merchantId: 'm1', origin: 'https://pay.example', testValues: null }
const cards = [
  { number: '8600069195406311', expire: '0399' },
  { number: '8600495473316478', expire: '0399' },
]
const trial: CurlTarget = { ...live, testValues: { cards, code: '666666' } }

/** Runs the command with a curl that prints its arguments. */
function runInShell(command: string, env: Record<string, string>): { args: string[]; stderr: string } {
  const script = `curl() { for each in "$@"; do printf '%s\\036' "$each"; done; }\n${command}\n`
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { env: { PATH: process.env['PATH'] ?? '', ...env }, encoding: 'utf8' })
  return { args: stdout.split('\u001e').slice(0, -1), stderr }
}

function bodyOf(command: string, env: Record<string, string> = {}): { params: unknown } {
  const { args, stderr } = runInShell(command, env)
  assert.equal(stderr, '')
  return JSON.parse(args.at(-1) ?? '') as { params: unknown }
}

test('what is not stored is a variable of the shell, which sends nothing without it', () => {
  const list = [hidden('card.number', 'secret'), hidden('card.expire', 'secret'), plain('save', true), plain('account.order_id', '197')]
  const curl = requestCurl(logged({}, list), live)
  assert.match(
    curl,
    /^curl -sS 'https:\/\/pay\.example\/api\/cards\.create' \\\n {2}-H "X-Auth: m1:\$\{TESSERA_PASSWORD:\?API password\}" \\\n/,
  )
  const { args, stderr } = runInShell(curl, { TESSERA_PASSWORD: 'p' })
  assert.deepEqual(args, [])
  assert.match(stderr, /CARD_NUMBER: card\.number/)
  const values = { TESSERA_PASSWORD: 'p', CARD_NUMBER: '1', CARD_EXPIRE: '0399' }
  assert.deepEqual(bodyOf(curl, values).params, { card: { number: '1', expire: '0399' }, save: true, account: { order_id: '197' } })
})

test('in the test environment the command has the test card of the mask, its expiry, the code and something for an account field', () => {
  const list = [hidden('card.number', 'secret'), hidden('card.expire', 'secret'), hidden('account.traveller', 'text')]
  const curl = requestCurl(logged({ caller: 'browser' }, list, [plain('card.number', '8600***6478')]), trial)
  assert.deepEqual(bodyOf(curl).params, { card: { number: '8600495473316478', expire: '0399' }, account: { traveller: 'test-1' } })
  const verify = requestCurl(
    logged({ method: 'cards.verify', caller: 'browser' }, [plain('token', '65f0'), hidden('code', 'secret')]),
    trial,
  )
  assert.deepEqual(bodyOf(verify, { TOKEN: '65f0_x' }).params, { token: '65f0_x', code: '666666' })
})

test('milliseconds stay milliseconds', () => {
  const list = [plain('count', 5), plain('from', '2026-11-20T19:00:00.000Z'), plain('to', 0)]
  const curl = requestCurl(logged({ method: 'receipts.get_all' }, list), live)
  assert.deepEqual(bodyOf(curl, { TESSERA_PASSWORD: 'p' }).params, { count: 5, from: Date.UTC(2026, 10, 20, 19), to: 0 })
  const rules = Object.values(publicOperations).flatMap(({ requestLog }) => Object.entries(requestLog.params))
  assert.deepEqual(new Set(rules.filter(([, rule]) => rule === 'timestamp').map(([path]) => path)), timestampPaths)
})

test('a browser sends the merchant id alone, and the subscribe profile has one address for every method', () => {
  const curl = requestCurl(logged({ caller: 'browser', profile: 'subscribe' }, [plain('token', '65f0c0ffee0000000000cafe')]), live)
  assert.match(curl, /^curl -sS 'https:\/\/pay\.example\/api' \\\n {2}-H 'X-Auth: m1' /)
  assert.match(runInShell(curl, {}).stderr, /TOKEN: token, card 65f0c0ffee0000000000cafe/)
})

test('members that may be left out and are not stored are left out, and so is a masked phone of the payer', () => {
  const list = [
    hidden('cvv', 'unknown'),
    plain('detail.*', 'x'),
    hidden('description', 'text'),
    hidden('detail', 'object'),
    plain('payer.phone', '99890*****67'),
    plain('id', 'r'),
  ]
  assert.match(requestCurl(logged({}, list), live), /"params":\{"id":"r"\}/)
})

test('no value ends the quotes of the shell', () => {
  const curl = requestCurl(logged({ caller: 'browser' }, [plain('customer', "it's $(rm -rf /) `x`")]), live)
  assert.deepEqual(bodyOf(curl).params, { customer: "it's $(rm -rf /) `x`" })
})

test('a call without a method has no curl line', () => {
  assert.equal(requestCurl(logged({ method: null }, []), live), '')
})
