import assert from 'node:assert/strict'
import { test } from 'node:test'

import { checkoutScript, curlSnippets, formHtml, installLine, librarySnippets, pagePolicy, type StartContext } from './start-snippets.ts'

const context: StartContext = {
  merchantId: '65f0c0ffee0000000000cafe',
  origin: 'https://pay.example',
  password: null,
  example: { amountTiyin: 500_000, account: { order_id: '197' } },
  sdk: { version: '1.2.3', integrity: 'sha384-a', moduleIntegrity: 'sha384-b' },
}

test('the curl commands of the page Get started ask the shell for the password, and only calls of the server have it', () => {
  for (const curl of Object.values(curlSnippets(context, '8600069195406311', { asPage: 'page', asServer: 'server' }))) {
    const lines = curl.split('\n').filter((line) => /\bcall ["$]/.test(line))
    assert.deepEqual(
      lines.map((line) => [/(?:cards|receipts)\.\w+/.exec(line)?.[0], line.includes('"$SERVER"')]),
      [
        ['cards.create', false],
        ['cards.get_verify_code', false],
        ['cards.verify', false],
        ['receipts.create', true],
        ['receipts.pay', true],
      ],
    )
    assert.ok(curl.includes('SERVER="$MERCHANT:${TESSERA_PASSWORD:?the password of your API}"'))
  }
})

test('the library is installed from the service', () => {
  assert.equal(installLine(context), 'npm install https://pay.example/sdk/1.2.3/tessera-client.tgz')
})

test('the form is loaded with the integrity of the script that is served, from the origin that the policy allows', () => {
  assert.match(formHtml(context), /src="https:\/\/pay\.example\/sdk\/1\.2\.3\/tessera\.js"\s+integrity="sha384-a"/)
  assert.doesNotMatch(formHtml(context), /<script>/, 'no inline script')
  assert.match(checkoutScript(context), /merchant: '65f0c0ffee0000000000cafe'/)
  assert.equal(pagePolicy(context), "Content-Security-Policy: script-src 'self' https://pay.example; frame-src https://pay.example")
})

test('every library is set up with the address of this service', () => {
  const libraries = librarySnippets(context)
  assert.deepEqual(Object.keys(libraries), ['Node.js', 'Python', 'PHP', 'Go'])
  for (const [name, code] of Object.entries(libraries)) assert.ok(code.includes('https://pay.example'), name)
})
