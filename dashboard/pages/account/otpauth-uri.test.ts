import assert from 'node:assert/strict'
import { test } from 'node:test'

import { encodeQR } from 'qr'
import { decodeQR } from 'qr/decode.js'

import { otpauthUri } from './otpauth-uri.ts'

const uri = otpauthUri('JBSWY3DPEHPK3PXP', { merchantName: 'Bozor: oziq & ovqat', phone: '99890***67' })

test('the secret is in an otpauth URI, with labels that cannot end theirs', () => {
  const { protocol, host, pathname, searchParams } = new URL(uri)
  assert.deepEqual([protocol, host], ['otpauth:', 'totp'])
  assert.equal(decodeURIComponent(pathname), '/Tessera:Bozor  oziq & ovqat 99890***67')
  assert.deepEqual(Object.fromEntries(searchParams), { secret: 'JBSWY3DPEHPK3PXP', issuer: 'Tessera' })
})

test('a reader finds the URI in the code that is drawn', () => {
  const modules = encodeQR(uri, 'raw', { border: 4, scale: 4 })
  const size = modules.length
  const data = new Uint8ClampedArray(size * size * 4)
  modules.flat().forEach((isDark, at) => data.set([isDark ? 0 : 255, isDark ? 0 : 255, isDark ? 0 : 255, 255], at * 4))
  assert.equal(decodeQR({ width: size, height: size, data }), uri)
})
