import assert from 'node:assert/strict'
import { test } from 'node:test'

import { generateNodeKey, isSignedByNode, nodeFingerprint, openAsNode, readNodeKey, sealToNode, signAsNode } from './node-key.ts'

const kek = Uint8Array.from({ length: 32 }, (_, i) => i)
const session = Uint8Array.from({ length: 32 }, (_, i) => 255 - i)

test('what is sealed to a node opens with its key read back from the file, and with no other key or context', () => {
  const { key, file } = generateNodeKey('node-b')
  const sealed = sealToNode(key.publicKey, kek, ['node-b', session])
  assert.deepEqual(openAsNode(readNodeKey(file), sealed, ['node-b', session]), Buffer.from(kek))
  assert.throws(() => openAsNode(generateNodeKey('node-b').key, sealed, ['node-b', session]))
  assert.throws(() => openAsNode(key, sealed, ['node-b', kek]))
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed, (byte, i) => (i === at ? byte ^ 1 : byte))
    assert.throws(() => openAsNode(key, changed, ['node-b', session]), `byte ${String(at)}`)
  }
  assert.throws(() => openAsNode(key, sealed.subarray(0, 40), ['node-b', session]))
  assert.notDeepEqual(sealToNode(key.publicKey, kek, ['node-b', session]), sealed)
})

test('a request is of the node that signed it, in the connection that it names', () => {
  const { key } = generateNodeKey('node-b')
  const signature = signAsNode(key, ['node-b', session])
  assert.equal(isSignedByNode(key.publicKey, ['node-b', session], signature), true)
  assert.equal(isSignedByNode(key.publicKey, ['node-b', kek], signature), false)
  assert.equal(isSignedByNode(key.publicKey, ['node-c', session], signature), false)
  assert.equal(isSignedByNode(generateNodeKey('node-b').key.publicKey, ['node-b', session], signature), false)
  assert.equal(isSignedByNode(key.publicKey, ['node-b', session], signature.subarray(1)), false)
})

test('a fingerprint is of one public key, and a damaged key file is refused', () => {
  const { key, file } = generateNodeKey('node-b')
  assert.match(nodeFingerprint(key.publicKey), /^([0-9a-f]{4}-){3}[0-9a-f]{4}$/)
  assert.notEqual(nodeFingerprint(key.publicKey), nodeFingerprint(generateNodeKey('node-b').key.publicKey))
  assert.throws(() => readNodeKey('{}'), /no node key/)
  assert.throws(() => readNodeKey(file.slice(0, -10)))
})
