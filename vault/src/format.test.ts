import assert from 'node:assert/strict'
import { createDecipheriv, createHmac, createSecretKey } from 'node:crypto'
import { test } from 'node:test'

import type { Dek } from './dek.ts'
import { deriveKey } from './kdf.ts'
import { makeRowMac } from './rowmac.ts'
import { digitsOf, sampleDek, sampleOwner, samplePan } from './samples.fixture.ts'
import { openPan, sealPan, type CardOwner } from './seal.ts'

// Stored bytes outlive the code that wrote them. This test reads them again, implemented from docs/concepts/keys.md alone.

const raw = Uint8Array.from({ length: 32 }, (_, i) => i)
const secret = Uint8Array.from({ length: 32 }, (_, i) => 0xff - i)
const dek: Dek = {
  keyId: '00112233445566778899aabbccddeeff',
  purpose: 'card',
  owner: '65f0c0ffee0000000000cafe',
  epoch: 1,
  createdAt: 0,
  key: createSecretKey(raw),
}
const owner: CardOwner = { environment: 'test', merchantId: dek.owner, cardId: '6745a1f0000a3f5c0d2e4b61' }

const keptBlob =
  '010100112233445566778899aabbccddeeff8e4bfa1ef6541cef034a86002af7e04ee78741f69a363d343ca624cf993e8be134964024586085a3081871c01c1878e0312f1964a9d755b2aa6d53255927785523dbd648199ffaede70440c7cf622426756d5d2c42b532d588604a8e8715'
const keptMac = '00112233445566778899aabbccddeeff148f1427e64f69bd015e04b7e7413f344d19f62070023ec48e6dc026c36aa698'

test('a card that was sealed by the first version opens', () => {
  assert.equal(digitsOf(openPan(Buffer.from(keptBlob, 'hex'), secret, dek, owner)), '8600069195406311')
})

test('a blob has the format of the keys page, byte by byte', () => {
  assert.equal(readByThePage(Buffer.from(keptBlob, 'hex'), raw, secret, owner), '8600069195406311')
  const fresh = sampleDek('card', owner.merchantId)
  const other = sampleOwner()
  assert.equal(readByThePage(sealPan(samplePan(), secret, fresh, other), fresh.key.export(), secret, other), '8600069195406311')
})

test('the inner key of the example is the one computed with OpenSSL on the keys page', () => {
  const key = deriveKey(createSecretKey(secret), 'tessera card inner key', owner.merchantId + owner.cardId)
  assert.equal(key.export().toString('hex'), '53ea4600f7d5d65409e211ff10e614204dfe11f587512c2b7a1ec75774e76f0f')
})

test('a row MAC has the format of the keys page, byte by byte', () => {
  const mac = makeRowMac({ ...dek, purpose: 'row_mac', owner: '' }, 'cards', 'test', [owner.cardId, 1, true, null, Uint8Array.of(1, 2, 3)])
  assert.equal(Buffer.from(mac).toString('hex'), keptMac)
  const message = Buffer.concat([
    field(3, 'tessera row'),
    field(3, 'cards'),
    field(3, 'test'),
    field(4, Buffer.from(dek.keyId, 'hex')),
    field(3, owner.cardId),
    field(2, Buffer.from('3ff0000000000000', 'hex')),
    field(1, Uint8Array.of(1)),
    field(0, new Uint8Array()),
    field(4, Uint8Array.of(1, 2, 3)),
  ])
  assert.equal(keptMac, dek.keyId + createHmac('sha256', raw).update(message).digest('hex'))
})

function readByThePage(blob: Uint8Array, outerKey: Uint8Array, tokenSecret: Uint8Array, of: CardOwner): string {
  const keyId = blob.subarray(2, 18)
  const inner = gcmOpen(Buffer.from(blob), outerKey, associated(keyId, of, 'outer'))
  const fixed = Buffer.concat([Buffer.from(`tessera card inner key\0${of.merchantId}${of.cardId}`), Buffer.from('00000100', 'hex')])
  const innerKey = createHmac('sha256', tokenSecret).update(Buffer.from('00000001', 'hex')).update(fixed).digest()
  const padded = gcmOpen(inner, innerKey, associated(Buffer.from('tessera inner 01'), of, 'inner'))
  assert.deepEqual([padded.length, [...padded.subarray(1 + (padded[0] ?? 0))].every((byte) => byte === 0)], [20, true])
  return padded.subarray(1, 1 + (padded[0] ?? 0)).toString('latin1')
}

function gcmOpen(layer: Buffer, key: Uint8Array, associatedBytes: Uint8Array): Buffer {
  assert.deepEqual([...layer.subarray(0, 2)], [1, 1])
  const decipher = createDecipheriv('aes-256-gcm', key, layer.subarray(18, 30)).setAAD(associatedBytes)
  decipher.setAuthTag(layer.subarray(-16))
  return Buffer.concat([decipher.update(layer.subarray(30, -16)), decipher.final()])
}

function associated(keyId: Uint8Array, of: CardOwner, purpose: string): Buffer {
  const one = field(2, Buffer.from('3ff0000000000000', 'hex'))
  const names = [of.environment, of.merchantId, of.cardId, purpose].map((name) => field(3, name))
  return Buffer.concat([field(3, 'tessera seal'), one, one, field(4, keyId), ...names])
}

function field(tag: number, value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value)
  const head = Buffer.alloc(5)
  head[0] = tag
  head.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([head, bytes])
}
