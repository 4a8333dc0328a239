import assert from 'node:assert/strict'
import { test } from 'node:test'

import { WrongKeyError } from './dek.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'
import { deriveTotpSecret, totpCode, totpStepAt, encodeBase32 } from './totp.ts'

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

test('a secret that is offered is the same for one version of a user in one session, and another for everything else', () => {
  const pepper = sampleDek('pepper')
  const offer = { environment: 'test', merchantId: merchantA, userId: 'u1', sessionId: 's1', version: 1 }
  const others = [{ environment: 'production' }, { merchantId: merchantB }, { userId: 'u2' }, { sessionId: 's2' }, { version: 2 }]
  const secrets = [
    deriveTotpSecret(pepper, offer),
    ...others.map((other) => deriveTotpSecret(pepper, { ...offer, ...other })),
    deriveTotpSecret(sampleDek('pepper'), offer),
  ]
  assert.deepEqual([...new Set(secrets.map(({ length }) => length))], [20])
  assert.equal(new Set(secrets.map(encodeBase32)).size, secrets.length)
  assert.deepEqual(deriveTotpSecret(pepper, { ...offer }), secrets[0])
  assert.throws(() => deriveTotpSecret(sampleDek('dashboard'), offer), WrongKeyError)
})
