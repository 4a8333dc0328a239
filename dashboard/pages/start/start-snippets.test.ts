import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkoutScript, formHtml, librarySnippets, pagePolicy, startCurl, type StartContext } from './start-snippets.ts'

const context: StartContext = {
  merchantId: '65f0c0ffee0000000000cafe',
  origin: 'https://pay.example',
  password: 'your password',
  sdk: { version: '1.2.3', integrity: 'sha384-a', moduleIntegrity: 'sha384-b' },
}

test('each curl line of the page Get started sends JSON with its own id, and only the server call has the password', () => {
  const curl = startCurl(context, '8600069195406311')
  const lines = curl.split('curl ').slice(1)
  const methods = lines.map((line, index) => {
    const [, json = ''] = /-d '(\{.*\})'/.exec(line.replaceAll("'$TOKEN'", 'T')) ?? []
    const body = JSON.parse(json) as { id: number; method: string }
    assert.equal(body.id, index + 1)
    return body.method
  })
  assert.deepEqual(methods, ['cards.create', 'cards.get_verify_code', 'cards.verify', 'cards.check'])
  assert.deepEqual(
    lines.map((line) => line.includes('$PASSWORD')),
    [false, false, false, true],
  )
})

test('the form is loaded with the integrity of the script that is served, from the origin that the policy allows', () => {
  assert.match(formHtml(context), /src="https:\/\/pay\.example\/sdk\/1\.2\.3\/tessera\.js"\s+integrity="sha384-a"/)
  assert.doesNotMatch(formHtml(context), /<script>/, 'no inline script')
  assert.match(checkoutScript(context), /merchant: '65f0c0ffee0000000000cafe'/)
  assert.equal(pagePolicy(context), "Content-Security-Policy: script-src 'self' https://pay.example; frame-src https://pay.example")
})

test('every library is set up with the address of this service', () => {
  const libraries = librarySnippets(context)
  assert.deepEqual(Object.keys(libraries), ['TypeScript', 'Python', 'PHP', 'Go'])
  for (const [name, code] of Object.entries(libraries)) assert.ok(code.includes('https://pay.example'), name)
})
