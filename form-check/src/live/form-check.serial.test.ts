// time limit: 450 s
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'

import { findTestBrowser } from '../../../tools/chromium.ts'
import { startTessera, type StartedTessera } from '../../../tools/start-tessera.ts'
import { FormCheckError, checkForm, type FormCheckReport } from '../check-form.ts'
import { isFailing } from '../report.ts'
import { rules, type RuleId } from '../rules.ts'

import { startServedShop, type ServedShop } from './shop.fixture.ts'

describe('the form check in a real browser, against the running service', { concurrency: 4 }, () => {
  let tessera: StartedTessera
  let shop: ServedShop
  let sdk = ''
  let policy = ''

  before(async () => {
    tessera = await startTessera()
    shop = await startServedShop()
    const manifest = (await (await fetch(`${tessera.url}/sdk/v1/integrity.json`)).json()) as {
      version: string
      files: Record<string, string>
    }
    sdk = `<script src="${tessera.url}/sdk/${manifest.version}/tessera.js" integrity="${manifest.files['tessera.js'] ?? ''}" crossorigin="anonymous"></script>`
    policy = `default-src 'none'; script-src ${tessera.url} 'nonce-n'; frame-src ${tessera.url}; connect-src 'self'; img-src 'self'; style-src 'unsafe-inline'`
  })
  after(async () => {
    shop.stop()
    await tessera.stop()
  })

  function formPage(script = '', markup = ''): string {
    const mount = `const form = new Tessera.CardForm({ merchant: '${tessera.merchantId}', locale: 'en', save: 'ask' }); form.mount('#card');`
    return `<!doctype html><html lang="en"><title>Shop</title><div id="card"></div>${markup}${sdk}<script nonce="n">${mount}${script}</script>`
  }

  async function check(
    html: string,
    {
      headers = { 'content-security-policy': policy },
      settleMs = 500,
    }: { headers?: Readonly<Record<string, string>>; settleMs?: number } = {},
  ): Promise<FormCheckReport> {
    const options = {
      settleMs,
      pageTimeoutMs: 60_000,
      isLive: true,
      shouldSubmit: true,
      formOrigin: tessera.url,
      browserPath: findTestBrowser(),
      cookies: null,
    }
    return checkForm({ ...options, target: shop.serve(html, headers), signal: new AbortController().signal, onProgress: () => undefined })
  }

  function violatedRules({ findings }: FormCheckReport): RuleId[] {
    return [...new Set(findings.map(({ rule }) => rule))].filter((rule) => rules[rule].severity !== 'info')
  }

  it('finds no violation on a correct page, and no trace of a card that was typed into the form', async () => {
    const report = await check(formPage())
    assert.deepEqual(
      report.findings.filter(({ rule }) => rules[rule].severity !== 'info'),
      [],
    )
    assert.deepEqual(report.notes, [])
    assert.equal(report.live?.formOrigin, tessera.url)
    assert.deepEqual(
      report.scripts.map(({ party, purpose, sha256 }) => [party, purpose, sha256?.length]),
      [
        ['third', 'unknown', 44],
        ['first', 'unknown', 44],
      ],
    )
    assert.deepEqual(
      shop.received.filter((line) => /\d{6}/.test(line)),
      [],
    )
  })

  it('accepts a frame whose corners a clip path makes round', async () => {
    const report = await check(formPage('', '<style>iframe{clip-path:inset(0 round 12px)}</style>'))
    assert.deepEqual(violatedRules(report), [])
  })

  it('passes the snippet of the guide and a link to the hosted page, whose warnings are good practice alone', async () => {
    const guide = readFileSync(new URL('../../../docs/guides/card-form.md', import.meta.url), 'utf8')
    const [, page = '', script = ''] =
      /^`index\.html`:\n\n```html\n([^]*?)^```$[^]*?^`checkout\.js`:\n\n```js\n([^]*?)^```$/m.exec(guide) ?? []
    const snippet = page.replace(' src="/checkout.js">', () => `>${script}`)
    const html = snippet.replaceAll('http://127.0.0.1:8080', tessera.url).replaceAll('65f0c0ffee0000000000cafe', tessera.merchantId)
    assert.match(html, /\/sdk\/[^]*new Tessera\.CardForm/)
    const pages = [html, `<!doctype html><a href="${tessera.url}/form/v1/page?merchant=${tessera.merchantId}">Kartani qo‘shish</a>`]
    for (const each of pages) {
      const report = await check(each, { headers: {} })
      assert.equal(isFailing(report, Infinity), false, JSON.stringify(report.findings))
    }
  })

  const pan = '<input id="pan" autocomplete="cc-number" inputmode="numeric">'
  const onInput = (action: string): string =>
    `<script nonce="n">document.querySelector('#pan').addEventListener('change', ({ target: { value } }) => { ${action} })</script>`

  /** A hole in the lower half of the form, where its footer stands. */
  const hole = '0 0,100% 0,100% 100%,0 100%,0 0,0 40%,99% 40%,99% 90%,0 90%,0 40%'

  /**
   * Each page violates the listed rules, and possibly others. A browser is started for each page, so violations of different rules share
   * a page; violations of the same rule in different ways have pages of their own.
   */
  const cases: [title: string, page: () => string, rules: RuleId[], options?: Parameters<typeof check>[1]][] = [
    [
      'an input in a closed shadow root, under a weak policy',
      () =>
        formPage(
          `const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' }); root.innerHTML = '${pan}'`,
        ),
      ['card-input', 'csp-weak'],
      { headers: { 'content-security-policy': `script-src * 'unsafe-inline'` } },
    ],
    [
      'an input in a closed shadow root declared in the markup, and a footer covered by an overlay',
      () =>
        formPage(
          '',
          `<div><template shadowrootmode="closed">${pan}</template></div><div style="position:fixed;inset:0;background:#fff;pointer-events:none"></div>`,
        ),
      ['card-input', 'links-hidden'],
    ],
    [
      'an input added a second later, and a transparent frame',
      () =>
        formPage(`setTimeout(() => document.body.insertAdjacentHTML('beforeend', '${pan}'), 1000)`, '<style>iframe{opacity:.01}</style>'),
      ['card-input', 'links-hidden'],
      { settleMs: 5000 },
    ],
    [
      'an input that exists only for a moment, and a frame that is cut off',
      () =>
        formPage(
          `setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '${pan}'); setTimeout(() => document.querySelector('#pan').remove(), 50) }, 200)`,
          '<style>#card{height:60px;overflow:hidden}</style>',
        ),
      ['card-input', 'links-hidden'],
    ],
    [
      'an input in the page, and a clip path with a hole over the footer',
      () => formPage('', `${pan}<style>iframe{clip-path:polygon(evenodd,${hole})}</style>`),
      ['card-input', 'links-hidden'],
    ],
    [
      'an input in the page, and a mask that leaves out the footer',
      () => formPage('', `${pan}<style>#card{mask-image:linear-gradient(#000 40%,transparent 40% 90%,#000 90%)}</style>`),
      ['card-input', 'links-hidden'],
    ],
    [
      'everything a careless page does at once: a CVV input, a name, an action around the form, a ticked box, a password, a direct call, no integrity, no policy',
      () =>
        formPage(
          [
            `const around = document.createElement('form'); around.action = '/pay'; document.body.append(around); around.append(document.querySelector('#card'))`,
            `setTimeout(() => document.querySelector('#save-card').checked = true)`,
            `fetch('/shop', { headers: { 'x-auth': '${tessera.merchantId}:${tessera.password}' } })`,
            `void 'cards.create'`,
          ].join(';'),
          '<input autocomplete="cc-csc"><input autocomplete="cc-number" name="card">' +
            '<label><input type="checkbox" id="save-card">Save</label><script src="http://127.0.0.1:9/a.js"></script>',
        ).replace(/ integrity="[^"]*"/, ''),
      [
        'sad-input',
        'input-name',
        'form-action',
        'consent-ticked',
        'password-in-page',
        'own-call',
        'sdk-integrity',
        'script-integrity',
        'csp-missing',
      ],
      { headers: {} },
    ],
    [
      'a card sent with fetch and stored in a cookie',
      () => formPage('', pan) + onInput(`fetch('/take', { method: 'POST', body: value }); document.cookie = 'draft=' + value`),
      ['card-submitted', 'card-in-storage'],
    ],
    [
      'a card sent with XMLHttpRequest in base64 and stored in IndexedDB',
      () =>
        formPage('', pan) +
        onInput(
          `const ask = new XMLHttpRequest(); ask.open('POST', '/take'); ask.send(btoa(value)); const open = indexedDB.open('d'); open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = () => open.result.transaction('s', 'readwrite').objectStore('s').put({ value }, 1)`,
        ),
      ['card-submitted', 'card-in-storage'],
    ],
    [
      'a card sent as a Blob with sendBeacon and posted as a message',
      () => formPage('', pan) + onInput(`navigator.sendBeacon('/take', new Blob([value])); postMessage({ value }, '*')`),
      ['card-submitted', 'card-in-message'],
    ],
    [
      'a card sent over a WebSocket and logged to the console',
      () =>
        formPage(
          '',
          pan + `<script nonce="n">const socket = new WebSocket('/socket'.replace(/^/, location.origin.replace('http', 'ws')))</script>`,
        ) + onInput(`socket.send(value); console.log('card', value)`),
      ['card-submitted', 'card-in-console'],
    ],
    [
      'a card in the address of an image and in localStorage',
      () => formPage('', pan) + onInput(`new Image().src = '/take?c=' + value; localStorage.draft = value`),
      ['card-submitted', 'card-in-storage'],
    ],
    [
      'a card sent in four requests',
      () => formPage('', pan) + onInput(`for (const part of value.match(/.{4}/g) ?? []) fetch('/take', { method: 'POST', body: part })`),
      ['card-submitted'],
    ],
    [
      'a card sent reversed from an input without a word',
      () => formPage('', '<input id="pan">') + onInput(`fetch('/take', { method: 'POST', body: [...value].reverse().join('') })`),
      ['card-input', 'card-submitted'],
    ],
    [
      'a card form behind a button, whose form posts into a frame',
      () =>
        formPage(
          `document.querySelector('#open').onclick = () => document.querySelector('dialog').showModal()`,
          `<button id="open">Karta bilan to‘lash</button><iframe name="f"></iframe><dialog><form target="f" method="post" action="/take"><label>Karta raqami <input name="k"></label><button>OK</button></form></dialog>`,
        ),
      ['card-input', 'card-submitted', 'form-action'],
      // The policy of the other pages blocks the frame, so nothing would be sent.
      { headers: { 'content-security-policy': `script-src * 'unsafe-inline'` } },
    ],
    [
      'a card form behind a button that makes it',
      () =>
        formPage(
          `document.querySelector('#open').onclick = ({ target }) => { const label = document.createElement('label'); label.append('Номер ' + 'карты', document.createElement('input')); target.replaceWith(label) }`,
          `<button id="open">Оплатить</button>`,
        ),
      ['card-input'],
    ],
    [
      'a card in a form that is submitted',
      () => formPage('', `<form>${pan.replace('>', ' name="c">')}<button>Pay</button></form>`),
      ['card-submitted', 'input-name'],
    ],
    ['a card input on a page without the SDK', () => `<!doctype html><html lang="en">${pan}`, ['sdk-missing', 'links-missing']],
    ['an SDK whose form is never mounted', () => `<!doctype html>${sdk}`, ['form-not-seen']],
    [
      'a form from another service',
      () => `<!doctype html><script src="http://127.0.0.1:9/sdk/v1/tessera.js" integrity="sha384-x" crossorigin="anonymous"></script>`,
      ['form-origin', 'csp-blocks-form'],
    ],
    [
      'a policy that blocks the frame',
      () => formPage(),
      ['csp-blocks-form'],
      { headers: { 'content-security-policy': `script-src 'self' 'nonce-n' *; frame-src 'none'` } },
    ],
  ]
  for (const [title, page, expected, options] of cases) {
    it(`finds ${title}`, async () => {
      const violated = violatedRules(await check(page(), options))
      for (const rule of expected) assert.ok(violated.includes(rule), `${rule} is not among ${violated.join(', ')}`)
      assert.deepEqual(
        shop.received.filter((line) => /8600069195406311/.test(line)),
        [],
      )
    })
  }

  it('reports why a typed card did not reach the SMS step, and nothing else', async () => {
    const hidden = check(formPage('', '<style>#card{display:none}</style>'))
    const refused = check(formPage().replace(`locale: 'en'`, `locale: 'en', session: 'none'`))
    const [{ notes, findings }, { notes: refusedNotes }] = [await hidden, await refused]
    assert.deepEqual(notes, [])
    assert.ok(findings.some(({ rule, shown }) => rule === 'form-not-seen' && shown === 'the form takes no card'))
    assert.equal(refusedNotes.length, 1, refusedNotes.join('\n'))
    assert.match(
      refusedNotes[0] ?? '',
      /^The card was submitted in the form, and the form did not ask for an SMS code: the form says “.+”\.$/,
    )
  })

  it('opens a checkout that needs a session with the given cookies, and never reports them', async () => {
    const target = shop.serve(formPage('', pan), { 'x-needs': 'session=c0ffee-c0ffee' })
    const bounds = { settleMs: 500, pageTimeoutMs: 30_000, shouldSubmit: false, formOrigin: null, browserPath: findTestBrowser() }
    const options = { ...bounds, target, signal: new AbortController().signal, onProgress: () => undefined }
    await assert.rejects(checkForm({ ...options, isLive: false, cookies: 'session=other' }), FormCheckError)
    const report = await checkForm({ ...options, isLive: true, cookies: 'a=b; session=c0ffee-c0ffee' })
    assert.ok(report.findings.some(({ rule, half }) => rule === 'card-input' && half === 'source'))
    assert.equal(report.live?.pages.length, 1)
    assert.doesNotMatch(JSON.stringify(report), /c0ffee-c0ffee/)
  })

  it('reports a page that hangs or breaks the probe as not checked', async () => {
    const hostile = [
      `<!doctype html><script>setTimeout(() => { for (;;); }, 300)</script>`,
      `<!doctype html><input autocomplete="cc-number"><script>Array.prototype.map = () => { throw new Error() }</script>`,
    ]
    const bounds = {
      settleMs: 500,
      pageTimeoutMs: 9000,
      isLive: true,
      shouldSubmit: true,
      formOrigin: null,
      browserPath: findTestBrowser(),
      cookies: null,
    }
    for (const html of hostile) {
      const options = { ...bounds, target: shop.serve(html), signal: new AbortController().signal, onProgress: () => undefined }
      await assert.rejects(checkForm(options), FormCheckError, html)
    }
  })

  it('stops at once when the signal is aborted', async () => {
    const stopping = new AbortController()
    const options = {
      settleMs: 60_000,
      pageTimeoutMs: 90_000,
      isLive: true,
      shouldSubmit: true,
      formOrigin: null,
      browserPath: findTestBrowser(),
      cookies: null,
    }
    const running = checkForm({
      ...options,
      target: shop.serve(formPage()),
      signal: stopping.signal,
      onProgress(line) {
        if (line.startsWith('Opening')) stopping.abort()
      },
    })
    await assert.rejects(running, (err: unknown) => stopping.signal.aborted && !(err instanceof FormCheckError))
  })
})
