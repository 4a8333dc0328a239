import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash } from 'node:crypto'
import { test } from 'node:test'

// The platform's primitives, called as the vault calls them, against published vectors.

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

/** "The Galois/Counter Mode of Operation" (McGrew, Viega), appendix B, test cases 13 to 16: those of AES-256 with a 96-bit nonce. */
const gcmVectors = [
  { key: '00'.repeat(32), nonce: '00'.repeat(12), associated: '', plaintext: '', ciphertext: '', tag: '530f8afbc74536b9a963b4f1c4cb738b' },
  {
    key: '00'.repeat(32),
    nonce: '00'.repeat(12),
    associated: '',
    plaintext: '00'.repeat(16),
    ciphertext: 'cea7403d4d606b6e074ec5d3baf39d18',
    tag: 'd0d1c8a799996bf0265b98b5d48ab919',
  },
  {
    key: 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308',
    nonce: 'cafebabefacedbaddecaf888',
    associated: '',
    plaintext:
      'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
    ciphertext:
      '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad',
    tag: 'b094dac5d93471bdec1a502270e3cc6c',
  },
  {
    key: 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308',
    nonce: 'cafebabefacedbaddecaf888',
    associated: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    plaintext: 'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
    ciphertext: '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662',
    tag: '76fc6ece0f4e1768cddf8853bb2d551b',
  },
]

test('AES-256-GCM gives the published ciphertexts and tags', () => {
  for (const vector of gcmVectors) {
    const key = createSecretKey(hex(vector.key))
    const cipher = createCipheriv('aes-256-gcm', key, hex(vector.nonce), { authTagLength: 16 }).setAAD(hex(vector.associated))
    assert.equal(cipher.update(hex(vector.plaintext)).toString('hex'), vector.ciphertext)
    assert.equal(cipher.final().length, 0)
    assert.equal(cipher.getAuthTag().toString('hex'), vector.tag)
  }
})

test('AES-256-GCM opens the published ciphertexts, and no other', () => {
  for (const vector of gcmVectors) {
    assert.equal(open(vector, hex(vector.tag)).toString('hex'), vector.plaintext)
    const wrong = hex(vector.tag)
    wrong[15] = (wrong[15] ?? 0) ^ 1
    assert.throws(() => open(vector, wrong))
  }
})

/** RFC 4231 §4.2 to §4.8; case 5, which truncates, is left out. */
const hmacVectors = [
  ['0b'.repeat(20), Buffer.from('Hi There').toString('hex'), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe').toString('hex'),
    Buffer.from('what do ya want for nothing?').toString('hex'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  ['aa'.repeat(20), 'dd'.repeat(50), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
  [
    '0102030405060708090a0b0c0d0e0f10111213141516171819',
    'cd'.repeat(50),
    '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  ],
  [
    'aa'.repeat(131),
    Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First').toString('hex'),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    'aa'.repeat(131),
    Buffer.from(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ).toString('hex'),
    '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  ],
] as const

test('HMAC-SHA256 gives the values of RFC 4231', () => {
  for (const [key, message, mac] of hmacVectors) {
    assert.equal(
      createHmac('sha256', createSecretKey(hex(key)))
        .update(hex(message))
        .digest('hex'),
      mac,
    )
  }
})

test('SHA-256 gives the values of FIPS 180-4', () => {
  assert.equal(hash('sha256', 'abc', 'hex'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  const two = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'
  assert.equal(hash('sha256', two, 'hex'), '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1')
})

test('the primitives return memory of their own, so that wiping is complete and copying copies nothing else', () => {
  const key = createSecretKey(new Uint8Array(32))
  const given = [
    createCipheriv('aes-256-gcm', key, new Uint8Array(12)).update(new Uint8Array(20)),
    createDecipheriv('aes-256-gcm', key, new Uint8Array(12)).update(new Uint8Array(20)),
    createHmac('sha256', key).update('x').digest(),
    hash('sha256', 'x', 'buffer'),
  ]
  for (const bytes of given) assert.equal(bytes.buffer.byteLength, bytes.length)
})

function open(vector: (typeof gcmVectors)[number], tag: Uint8Array): Buffer {
  const key = createSecretKey(hex(vector.key))
  const decipher = createDecipheriv('aes-256-gcm', key, hex(vector.nonce), { authTagLength: 16 }).setAAD(hex(vector.associated))
  decipher.setAuthTag(tag)
  return Buffer.concat([decipher.update(hex(vector.ciphertext)), decipher.final()])
}
