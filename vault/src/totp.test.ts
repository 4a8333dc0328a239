import assert from 'node:assert/strict'
import { test } from 'node:test'

import { totpCode, totpStepAt, encodeBase32 } from './totp.ts'

test('codes are those of RFC 6238, appendix B', () => {
  const secret = Buffer.from('12345678901234567890')
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ]
  for (const [seconds, code] of vectors) assert.equal(totpCode(secret, totpStepAt(seconds * 1000)), code)
})

test('a secret is written in base32 as RFC 4648 has it', () => {
  assert.equal(encodeBase32(Buffer.from('fooba')), 'MZXW6YTB')
})
