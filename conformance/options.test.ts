import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { readOptions, type ConformanceOptions } from './options.ts'

function read(args: string[], env: Record<string, string> = {}): ConformanceOptions {
  const options = readOptions(args, env)
  assert.ok(options !== null)
  return options
}

describe('without a word, the runner', () => {
  it('tries every group on this machine, as the demo merchant of a test environment', () => {
    const { target, files } = read([])
    assert.equal(target.url.href, 'http://127.0.0.1:8080/')
    assert.deepEqual([target.merchant, target.isTest, target.slow, target.other], ['65f0c0ffee0000000000cafe', true, false, null])
    assert.equal(target.slowness, 1)
    assert.ok(files.length >= 13)
  })
})

describe('the command line', () => {
  it('wins over the environment, which keeps passwords out of process lists', () => {
    const env = { MERCHANT_ID: 'e', MERCHANT_PASSWORD: 'secret', OTHER_MERCHANT_ID: 'o', OTHER_MERCHANT_PASSWORD: 'other' }
    const { target } = read(['--merchant', 'm'], env)
    assert.deepEqual([target.merchant, target.password, target.other], ['m', 'secret', { merchant: 'o', password: 'other' }])
  })

  it('chooses groups, with or without folder and ending', () => {
    assert.deepEqual(
      read(['--only', 'http', '--only', 'conformance/vectors/batch.json']).files.map(({ group }) => group),
      ['http', 'batch'],
    )
  })

  it('keeps what needs the test environment out of production', () => {
    assert.equal(read(['--production']).target.isTest, false)
  })

  it('is refused with a reason', () => {
    assert.throws(() => read(['--only', 'nothing']), /no group nothing; there are batch, /)
    assert.throws(() => read(['--url', 'localhost:8080']), /must be http:\/\//)
    assert.throws(() => read(['--bogus']), /--bogus/)
    for (const wrong of ['0.5', '101', 'x']) assert.throws(() => read(['--slowness', wrong]), /from 1 to 100, not/)
    assert.throws(() => read(['--refusing-merchant', 'm']), /go together/)
    assert.throws(() => read(['--refusing-merchant', 'm', '--endpoint-port', '0']), /from 1 to 65535, not 0/)
  })

  it('may ask for help', () => {
    assert.equal(readOptions(['--help'], {}), null)
  })
})
