import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import { digitAlphabet } from '@tessera/contract/verification-code'

import { buildBrowser } from '../../../../tools/browser/build.ts'
import { sandboxDisclosure } from '../../adapters/sandbox/legal.ts'
import { hashDisclosure } from '../../domain/consents/disclosure-text.ts'
import { readFormAssets, type FormAssets } from './form-assets.ts'
import { makeFormDocument } from './form-document.ts'
import { brotliOptions, gzipOptions } from './page-compression.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const languages = ['uz', 'ru', 'en'] as const
const maxGzipBytes = 12 * 1024
const maxBrotliBytes = 11 * 1024
const maxDeferredBytes = 16 * 1024
const maxSdkBytes = 3.5 * 1024

const folder = mkdtempSync(join(tmpdir(), 'tessera-form-size-'))
let assets: FormAssets
before(async () => {
  await buildBrowser(root, folder)
  assets = readFormAssets(folder)
})
after(() => rmSync(folder, { recursive: true, force: true }))

// The document that production serves, compressed as it is served.
for (const language of languages) {
  test(`the form in ${language} is one document of at most 12 kB gzipped, and at most 11 kB by Brotli`, () => {
    const document = renderForm(language)
    const { length: gzipped } = gzipSync(document, gzipOptions)
    const { length: packed } = brotliCompressSync(document, brotliOptions)
    assert.ok(gzipped <= maxGzipBytes, `gzip: ${gzipped} bytes of ${maxGzipBytes}`)
    assert.ok(packed <= maxBrotliBytes, `Brotli: ${packed} bytes of ${maxBrotliBytes}`)
  })
}

test('each script that the form loads later has at most 16 kB gzipped', () => {
  for (const name of ['deferred', 'appearance'] as const) {
    const { length } = assets[name].file.gzipped
    assert.ok(length <= maxDeferredBytes, `${name}: ${length} bytes of ${maxDeferredBytes}`)
  }
})

test('each file of the SDK that a page loads has at most 3.5 kB gzipped', () => {
  for (const name of ['tessera.js', 'tessera.mjs', 'react.mjs']) {
    const { length = Infinity } = assets.files.get(name)?.gzipped ?? {}
    assert.ok(length <= maxSdkBytes, `${name}: ${length} bytes of ${maxSdkBytes}`)
  }
})

/** The document for a merchant with the data of the demo merchant. */
function renderForm(locale: (typeof languages)[number]): string {
  const { version, texts } = hashDisclosure(sandboxDisclosure)
  const origin = 'https://shop.example'
  const signature = createHash('sha384').update(origin).digest('base64url')
  const { script, deferred, appearance, style } = assets
  return makeFormDocument({ scripts: [script], later: [deferred, appearance], style, connect: "'self'" }).render({
    merchant: '65f0c0ffee0000000000cafe',
    merchantName: 'Demo merchant',
    environment: 'production',
    providerName: 'Tessera',
    providerUrl: '/',
    termsUrl: '/form/terms',
    privacyUrl: '/form/privacy',
    accepted: ['uzcard', 'humo', 'mir', 'visa', 'mastercard', 'unionpay'],
    messages: { locale, texts: assets.texts[locale], disclosure: { version, ...texts[locale] } },
    code: { length: 6, alphabet: digitAlphabet, fixed: '666666' },
    origin,
    form: `1795485214330.${Buffer.from(origin).toString('base64url')}.${signature}`,
  })
}
