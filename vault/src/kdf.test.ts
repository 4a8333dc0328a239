// needs: openssl
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'

import { prepareHmacKey } from './hmac.ts'
import { counterBlock, deriveKey } from './kdf.ts'

const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'))

/**
 * NIST CAVP, KDFCTR_gen (CAVS 14.4): [PRF=HMAC_SHA256] [CTRLOCATION=BEFORE_FIXED] [RLEN=32_BITS], counts 0, 1, 10 to 13, 19 and 20:
 * key, fixed input, derived key of 128, 256 or 160 bits.
 */
const cavpVectors = [
  [
    'dd1d91b7d90b2bd3138533ce92b272fbf8a369316aefe242e659cc0ae238afe0',
    '01322b96b30acd197979444e468e1c5c6859bf1b1cf951b7e725303e237e46b864a145fab25e517b08f8683d0315bb2911d80a0e8aba17f3b413faac',
    '10621342bfb0fd40046c0e29f2cfdbf0',
  ],
  [
    '32c4003872a146194023eac1bda74ddf2b66977dad8a554b974ca2a62f7e4f43',
    '33d8cf6d0c759fb622d867ea8cf1285de4020af81cc287addf38cc2da4643e6db3b215ad3e33bfc47877c3620e336887c3c9ad4a1c6c0476b0f90a33',
    'f593af0e1a492a7b904a2662897fa1c1',
  ],
  [
    'e204d6d466aad507ffaf6d6dab0a5b26152c9e21e764370464e360c8fbc765c6',
    '7b03b98d9f94b899e591f3ef264b71b193fba7043c7e953cde23bc5384bc1a6293580115fae3495fd845dadbd02bd6455cf48d0f62b33e62364a3a80',
    '770dfab6a6a4a4bee0257ff335213f78d8287b4fd537d5c1fffa956910e7c779',
  ],
  [
    'aeeeca60f689a441b13b0cbcd441d82df0cf87dac236290dece8931df8d70317',
    '588ec041e5733b7031212c5538efe4f6aafa4cda8b925d261f5a2688f007b3ac240ee12991e77b8cb8538678615966164a81872bd1cfcbfb39a4f450',
    '3e81d6113cee3c529ecedff89a6999ce25b618c15ee1d19d45cb376a1c8e2374',
  ],
  [
    '95c8f76e11367eb55526a2b393ae906583d1cbdd47962146f506cc7cac12f464',
    'cad60e904b9e9c8bfeb4a81a7f67d3bddcc05e64255870403770f3533ae6dd634ceaa56c53e688bd137ae6018935f34b9fb084ea48e4c688f6bbb388',
    'cafa5ca03f5fbe2a242004abcbd3de1059c7407b1ee579255124af189be0b556',
  ],
  [
    '4d05391fd6fb1e292e78ab9619b1b72a7d63ee59d7435dd71897b9ff7ee7ae70',
    'f078e6f9b7f82d64554fa6b604c808f19b1f6ad6727db7aa6f1c86694e104b5256c8b4039919646481d7ea2452c72c17a3e8d7d3916285460aa5eb81',
    '6b16e8f53b831aa5e86bf97a5c4fa37d089bc172da5a1e7f662dd4a595339ab7',
  ],
  [
    '2eb0a49fd3199a57264f746b1c8acbc76f7ce51223f72134590fbbeb3176264b',
    '980a908ed38b6e699df3f44e651f0ad3a9d209d3867c495e52673855d09e4f1a58fb477067c400cacca9ab9260e205c4556905f2727925561280639c',
    '06d5adc2d5c517bf40406cc6bb56553b222f70abf2bb505584000e88628baf17',
  ],
  [
    'dc60338d884eecb72975c603c27b360605011756c697c4fc388f5176ef81efb1',
    '44d7aa08feba26093c14979c122c2437c3117b63b78841cd10a4bc5ed55c56586ad8986d55307dca1d198edcffbc516a8fbe6152aa428cdd800c062d',
    '29ac07dccf1f28d506cd623e6e3fc2fa255bd60b',
  ],
] as const

test('the counter block gives the derived keys of NIST CAVP', () => {
  for (const [key, fixedInput, derived] of cavpVectors) {
    const block = counterBlock(createSecretKey(hex(key)), hex(fixedInput))
    assert.equal(Buffer.from(block).toString('hex').slice(0, derived.length), derived)
    const prepared = createSecretKey(hex(key))
    prepareHmacKey(prepared)
    assert.deepEqual(Buffer.from(counterBlock(prepared, hex(fixedInput))), Buffer.from(block))
  }
})

test('a derived key is the one that OpenSSL derives', () => {
  for (let i = 0; i < 8; i++) {
    const secret = randomBytes(32)
    const label = 'tessera card inner key'
    const context = randomBytes(24).toString('hex')
    assert.equal(derivedHex(secret, label, context), opensslKbkdf(secret, label, context), `for secret ${secret.toString('hex')}`)
  }
})

test('a derived key depends on secret, label and context, and on the boundary between label and context', () => {
  const secret = new Uint8Array(32)
  const derived = [
    derivedHex(secret, 'label', 'context'),
    derivedHex(
      Uint8Array.from({ length: 32 }, (_, i) => Number(i === 31)),
      'label',
      'context',
    ),
    derivedHex(secret, 'labelc', 'ontext'),
    derivedHex(secret, 'label', 'Context'),
    derivedHex(secret, 'Label', 'context'),
  ]
  assert.equal(new Set(derived).size, derived.length)
})

function derivedHex(secret: Uint8Array, label: string, context: string): string {
  return deriveKey(createSecretKey(secret), label, context).export().toString('hex')
}

/** KBKDF is SP 800-108 in OpenSSL's words; `salt` is the label there and `info` the context. */
function opensslKbkdf(secret: Uint8Array, label: string, context: string): string {
  const options = [
    'mac:HMAC',
    'digest:SHA256',
    'mode:COUNTER',
    `hexkey:${Buffer.from(secret).toString('hex')}`,
    `hexsalt:${Buffer.from(label).toString('hex')}`,
    `hexinfo:${Buffer.from(context).toString('hex')}`,
  ]
  const args = ['kdf', '-keylen', '32', ...options.flatMap((option) => ['-kdfopt', option]), 'KBKDF']
  try {
    return execFileSync('openssl', args, { encoding: 'utf8' }).trim().replaceAll(':', '').toLowerCase()
  } catch (cause) {
    throw new Error('this test needs openssl 3 (`openssl kdf`): install it, on Debian with `apt-get install openssl`', { cause })
  }
}
