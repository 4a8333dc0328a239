import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { noSettings, readSettings, MalformedSettingsError, writeSettings } from './settings.ts'
import { applyMerchantPatch, readMerchantPatch } from './merchant-patch.ts'

const title = { en: 'Order', ru: 'Заказ', uz: 'Buyurtma' }

test('valid input is accepted unchanged, except that texts are trimmed', () => {
  const said = {
    name: ' Do‘kon 😀 ',
    organization: '',
    address: 'Toshkent',
    origins: ['https://shop.example', 'https://shop.example:8443', 'http://localhost:3000', 'https://shop.example'],
    accountFields: [
      { name: 'order_id', title, required: true },
      { name: 'note', title },
    ],
    minAmount: 1,
    maxAmount: null,
    limits: { writeMinuteMax: 600 },
    strictServerAuth: true,
    requireFormSessions: false,
    businessId: 'b',
    epos: { merchantId: '1', terminalId: '2' },
  }
  const patch = readMerchantPatch(said)
  assert.ok(!(patch instanceof SettingProblem))
  assert.deepEqual([patch.name, patch.organization, patch.address], ['Do‘kon 😀', '', 'Toshkent'])
  const settings = applyMerchantPatch(noSettings, patch)
  assert.ok(!(settings instanceof SettingProblem))
  assert.deepEqual(settings.origins, ['https://shop.example', 'https://shop.example:8443', 'http://localhost:3000'])
  assert.deepEqual(
    settings.accountFields.map(({ required }) => required),
    [true, false],
  )
  assert.equal(settings.maxAmount, noSettings.maxAmount)
  assert.deepEqual(readSettings(writeSettings(settings)), settings)
})

test('invalid input is refused with a message that says what to write instead', () => {
  const field = { name: 'order_id', title, required: true }
  const cases: [patch: Record<string, unknown>, message: RegExp][] = [
    [{ name: '  ' }, /A name has 1 to 100 characters/],
    [{ name: 'x'.repeat(101) }, /A name has 1 to 100/],
    [{ name: 'a\u0000b' }, /control character/],
    [{ name: 'a\ud800' }, /control character/],
    [{ name: 5 }, /A name has/],
    [{ address: 'x'.repeat(301) }, /An address has 0 to 300/],
    [{ origins: 'https://shop.example' }, /Origins are a list/],
    [{ origins: new Array(21).fill('https://shop.example') }, /list of at most 20/],
    [{ origins: ['shop.example'] }, /a scheme and a host/],
    [{ origins: [''] }, /a scheme and a host/],
    [{ origins: ['null'] }, /a scheme and a host/],
    [{ origins: ['*'] }, /a scheme and a host/],
    [{ origins: ['https://*.shop.example/'] }, /no wildcards: add each origin by itself/],
    [{ origins: ['https://*'] }, /no wildcards/],
    [{ origins: ['https://shop.example;script-src'] }, /letters, digits, hyphens and dots/],
    [{ origins: ['https://shop.example,evil.example'] }, /letters, digits, hyphens and dots/],
    [{ origins: [`https://'self'`] }, /letters, digits, hyphens and dots/],
    [{ origins: ['https://shop.example/'] }, /write https:\/\/shop\.example$/],
    [{ origins: ['https://SHOP.example'] }, /write https:\/\/shop\.example$/],
    [{ origins: ['https://shop.example:443'] }, /write https:\/\/shop\.example$/],
    [{ origins: ['https://shop.example/pay?x=1'] }, /write https:\/\/shop\.example$/],
    [{ origins: ['https://u:p@shop.example'] }, /no user name and no password/],
    [{ origins: ['http://shop.example'] }, /https \(http only for this machine/],
    [{ origins: ['javascript:alert(1)'] }, /a scheme and a host/],
    [{ accountFields: {} }, /Account fields are a list/],
    [{ accountFields: ['order_id'] }, /is an object/],
    [{ accountFields: [{ ...field, label: 'x' }] }, /no member "label"/],
    [{ accountFields: [{ ...field, name: '1st' }] }, /does not begin with a digit/],
    [{ accountFields: [{ ...field, required: 'yes' }] }, /required is true or false/],
    [{ accountFields: [{ name: 'order_id', title: 'Order' }] }, /title in three languages/],
    [{ accountFields: [{ ...field, title: { en: 'Order', ru: 'Заказ' } }] }, /The uz title of "order_id"/],
    [{ accountFields: [field, field] }, /Two account fields are named/],
    [{ minAmount: 0 }, /whole number of tiyin from 1/],
    [{ minAmount: 0.5 }, /whole number of tiyin/],
    [{ maxAmount: 10_000_000_000_001 }, /from 1 to 10000000000000/],
    [{ maxAmount: '100' }, /whole number of tiyin/],
    [{ limits: [] }, /Limits are an object/],
    [{ limits: { hourMax: 1 } }, /There is no limit "hourMax".*createMinuteMax/],
    [{ limits: { writeMinuteMax: 0 } }, /writeMinuteMax is a whole number from 1/],
    [{ limits: { toString: 1 } }, /There is no limit "toString"/],
    [{ strictServerAuth: 'on' }, /on or off/],
    [{ requireFormSessions: 1 }, /on/],
    [{ epos: 'x' }, /An EPOS consists of/],
    [{ epos: { merchantId: 5 } }, /merchant id of an EPOS/],
  ]
  for (const [patch, message] of cases) assert.match(whyNot(readMerchantPatch(patch)), message, JSON.stringify(patch))
})

test('the minimum amount never exceeds the maximum, whichever of them is changed', () => {
  const before = { ...noSettings, minAmount: 100, maxAmount: 200 }
  for (const settings of [{ minAmount: 201 }, { maxAmount: 99 }]) assert.match(whyNot(applyMerchantPatch(before, { settings })), /set both/)
  assert.ok(!(applyMerchantPatch(before, { settings: { minAmount: 300, maxAmount: 300 } }) instanceof SettingProblem))
})

test('the settings of a row are read as written, missing members have their defaults, and anything else is an error', () => {
  assert.deepEqual(readSettings('{}'), noSettings)
  for (const broken of [
    '',
    'x',
    'null',
    '[]',
    '{"colour":1}',
    '{"origins":"https://shop.example"}',
    '{"origins":[1]}',
    '{"minAmount":0}',
    '{"minAmount":1.5}',
    '{"strictServerAuth":1}',
    '{"accountFields":[{"name":"a"}]}',
    '{"limits":{"a":"b"}}',
    '{"limits":[]}',
    '{"endpoint":{"url":"u"}}',
    '{"epos":null}',
  ])
    assert.throws(() => readSettings(broken), MalformedSettingsError, broken)
})

function whyNot(read: object): string {
  return read instanceof SettingProblem ? read.describe('en') : assert.fail(`it was taken: ${JSON.stringify(read)}`)
}
