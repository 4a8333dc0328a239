import assert from 'node:assert/strict'
import { test } from 'node:test'

import { errors } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'

import { startTessera } from '../tools/start-tessera.ts'
import { cardholderReasons, describeReason } from './frame/deferred/reasons.ts'
import { CardForm } from './page/card-form.ts'
import { CardFormMisuse, sdkOriginOf } from './page/card-form-options.ts'

test('the documentation address of an error exists and has an anchor for every reason', async () => {
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
      cardholderReasons().filter((reason) => !ids.includes(reason)),
      [],
    )
  } finally {
    await tessera.stop()
  }
})

test('a reason that the cardholder can act on has its own text, and every other one has the text of a shop error', () => {
  assert.deepEqual(describeReason('wrong_code'), { text: 'wrong_code', field: 'code', isRetryable: true })
  assert.deepEqual(describeReason('pan_limit'), { text: 'too_many', field: null, isRetryable: true })
  assert.deepEqual(describeReason('server_only'), { text: 'shop', field: null, isRetryable: false })
})

test('a form whose origin is unknown reports which option is missing', () => {
  const { reason, code, field, retryable, message } = catchMisuse({ merchant: '65f0c0ffee0000000000cafe' })
  assert.deepEqual({ reason, code, field, retryable }, { reason: 'form_origin_missing', code: 0, field: null, retryable: false })
  assert.match(message, /formOrigin/)
  assert.equal(catchMisuse({ merchant: '65f0c0ffee0000000000cafe', formOrigin: 'form.example' }).reason, 'form_origin_missing')
})

test('the SDK takes the origin of the form from its own address only when the service serves it there', () => {
  for (const path of ['/sdk/v1/tessera.js', '/sdk/v1/tessera.mjs', '/sdk/0.1.0/react.mjs', '/sdk/v1/tessera.mjs?v=2'])
    assert.equal(sdkOriginOf(`https://form.example:8443${path}`), 'https://form.example:8443')
  for (const url of [
    'https://shop.example/assets/app.mjs',
    'https://shop.example/assets/tessera.js',
    'file:///srv/sdk/v1/tessera.mjs',
    'https://shop.example/sdk/v1/app.mjs',
    undefined,
  ])
    assert.equal(sdkOriginOf(url), null)
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
