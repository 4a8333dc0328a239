import assert from 'node:assert/strict'
import { test } from 'node:test'

import { errors } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'

import { startTessera } from '../tools/start-tessera.ts'
import { tellReason, toldReasons } from './frame/reasons.ts'
import { CardForm, CardFormMisuse } from './page/card-form.ts'
import { originOfSdk } from './page/home.ts'

test('the address that an error of the form names is there, and tells of every reason by its anchor', async () => {
  const tessera = await startTessera({ settings: [] })
  try {
    const { docs } = catchMisuse({ merchant: 'me', formOrigin: tessera.url })
    const [address = '', anchor = ''] = docs.split('#')
    const reply = await fetch(address)
    assert.equal(reply.status, 200)
    const ids = [...(await reply.text()).matchAll(/ id="([a-z0-9_]+)"/g)].map(([, id]) => id)
    assert.ok(ids.includes(anchor), anchor)
    const reasons = [...Object.keys(formReasons), ...Object.values(errors).map(({ reason }) => reason)]
    assert.deepEqual(
      reasons.filter((reason) => !ids.includes(reason)),
      [],
    )
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(
      toldReasons().filter((reason) => !ids.includes(reason)),
      [],
    )
  } finally {
    await tessera.stop()
  }
})

test('a reason of the cardholder has a text of its own, and any other is told as the shop’s to mend', () => {
  assert.deepEqual(tellReason('wrong_code'), { text: 'wrong_code', field: 'code', isRetryable: true })
  assert.deepEqual(tellReason('pan_limit'), { text: 'too_many', field: null, isRetryable: true })
  assert.deepEqual(tellReason('server_only'), { text: 'shop', field: null, isRetryable: false })
})

test('a form that cannot know where it is served says which option is missing', () => {
  const { reason, code, field, retryable, message } = catchMisuse({ merchant: '65f0c0ffee0000000000cafe' })
  assert.deepEqual({ reason, code, field, retryable }, { reason: 'form_origin_missing', code: 0, field: null, retryable: false })
  assert.match(message, /formOrigin/)
  assert.equal(catchMisuse({ merchant: '65f0c0ffee0000000000cafe', formOrigin: 'form.example' }).reason, 'form_origin_missing')
})

test('the SDK knows the origin of the form by its own address, and only where that is an address of the service', () => {
  for (const path of ['/sdk/v1/tessera.js', '/sdk/v1/tessera.mjs', '/sdk/0.1.0/react.mjs', '/sdk/v1/tessera.mjs?v=2'])
    assert.equal(originOfSdk(`https://form.example:8443${path}`), 'https://form.example:8443')
  for (const url of [
    'https://shop.example/assets/app.mjs',
    'https://shop.example/assets/tessera.js',
    'file:///srv/sdk/v1/tessera.mjs',
    'https://shop.example/sdk/v1/app.mjs',
    undefined,
  ])
    assert.equal(originOfSdk(url), null)
})

function catchMisuse(options: ConstructorParameters<typeof CardForm>[0]): CardFormMisuse {
  try {
    new CardForm(options)
  } catch (err) {
    if (err instanceof CardFormMisuse) return err
    throw err
  }
  return assert.fail('nothing was thrown')
}
