// time limit: 300 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { findChromium } from '../../../tools/chromium.ts'
import { startTessera, type StartedTessera } from '../../../tools/start-tessera.ts'
import { CannotCheck, checkForm, type Report } from '../check-form.ts'
import { rules, type RuleId } from '../rules.ts'

import { startShop, type Shop } from './shop.fixture.ts'

describe('the form check in a real browser, with the service running', { concurrency: 4 }, () => {
  let tessera: StartedTessera
  let shop: Shop
  let sdk = ''
  let policy = ''

  before(async () => {
    tessera = await startTessera()
    shop = await startShop()
    const told = (await (await fetch(`${tessera.url}/sdk/v1/integrity.json`)).json()) as { version: string; files: Record<string, string> }
    sdk = `<script src="${tessera.url}/sdk/${told.version}/tessera.js" integrity="${told.files['tessera.js'] ?? ''}" crossorigin="anonymous"></script>`
    policy = `default-src 'none'; script-src ${tessera.url} 'nonce-n'; frame-src ${tessera.url}; connect-src 'self'; img-src 'self'; style-src 'unsafe-inline'`
  })
  after(async () => {
    shop.stop()
    await tessera.stop()
  })

  function form(script = '', marks = ''): string {
    const mount = `const form = new Tessera.CardForm({ merchant: '${tessera.merchantId}', locale: 'en', save: 'ask' }); form.mount('#card');`
    return `<!doctype html><html lang="en"><title>Shop</title><div id="card"></div>${marks}${sdk}<script nonce="n">${mount}${script}</script>`
  }

  async function check(html: string, headers: Readonly<Record<string, string>> = { 'content-security-policy': policy }): Promise<Report> {
    const asked = {
      waitMs: 1500,
      pageMs: 60_000,
      isLive: true,
      submits: true,
      formOrigin: tessera.url,
      browserPath: findChromium(),
      cookies: null,
    }
    return checkForm({ ...asked, target: shop.serve(html, headers), signal: new AbortController().signal, progress: () => undefined })
  }

  function broken({ findings }: Report): RuleId[] {
    return [...new Set(findings.map(({ rule }) => rule))].filter((rule) => rules[rule].severity !== 'note')
  }

  it('finds nothing on a good page, and typing a card into the form leaves no trace outside the service', async () => {
    const report = await check(form())
    assert.deepEqual(
      report.findings.filter(({ rule }) => rules[rule].severity !== 'note'),
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

  const pan = '<input id="pan" autocomplete="cc-number" inputmode="numeric">'
  const onInput = (deed: string): string =>
    `<script nonce="n">document.querySelector('#pan').addEventListener('change', ({ target: { value } }) => { ${deed} })</script>`

  /** Each page breaks its rules, beside whatever the input of its own breaks. */
  const cases: [title: string, page: () => string, rules: RuleId[], headers?: Readonly<Record<string, string>>][] = [
    [
      'an input in a closed shadow root',
      () =>
        form(
          `const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' }); root.innerHTML = '${pan}'`,
        ),
      ['card-input'],
    ],
    [
      'an input in a closed shadow root that the markup declares',
      () => form('', `<div><template shadowrootmode="closed">${pan}</template></div>`),
      ['card-input'],
    ],
    [
      'an input that is added a second later',
      () => form(`setTimeout(() => document.body.insertAdjacentHTML('beforeend', '${pan}'), 1000)`),
      ['card-input'],
    ],
    [
      'an input that is there for a moment only',
      () =>
        form(
          `setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '${pan}'); setTimeout(() => document.querySelector('#pan').remove(), 50) }, 200)`,
        ),
      ['card-input'],
    ],
    ['an input for a CVV', () => form('', '<input autocomplete="cc-csc">'), ['sad-input']],
    ['an input with a name', () => form('', '<input autocomplete="cc-number" name="card">'), ['input-name']],
    [
      'a form with an action around the form of the service',
      () =>
        form(
          `const around = document.createElement('form'); around.action = '/pay'; document.body.append(around); around.append(document.querySelector('#card'))`,
        ),
      ['form-action'],
    ],
    ['fetch', () => form('', pan) + onInput(`fetch('/take', { method: 'POST', body: value })`), ['card-submitted']],
    [
      'XMLHttpRequest, in base64',
      () => form('', pan) + onInput(`const ask = new XMLHttpRequest(); ask.open('POST', '/take'); ask.send(btoa(value))`),
      ['card-submitted'],
    ],
    ['sendBeacon of a Blob', () => form('', pan) + onInput(`navigator.sendBeacon('/take', new Blob([value]))`), ['card-submitted']],
    [
      'a WebSocket',
      () =>
        form(
          '',
          pan + `<script nonce="n">const socket = new WebSocket('/socket'.replace(/^/, location.origin.replace('http', 'ws')))</script>`,
        ) + onInput(`socket.send(value)`),
      ['card-submitted'],
    ],
    ['the address of a picture', () => form('', pan) + onInput(`new Image().src = '/take?c=' + value`), ['card-submitted']],
    [
      'a form that is submitted',
      () => form('', `<form>${pan.replace('>', ' name="c">')}<button>Pay</button></form>`),
      ['card-submitted', 'input-name'],
    ],
    ['local storage', () => form('', pan) + onInput(`localStorage.draft = value`), ['card-in-storage']],
    ['a cookie', () => form('', pan) + onInput(`document.cookie = 'draft=' + value`), ['card-in-storage']],
    [
      'an indexed database',
      () =>
        form('', pan) +
        onInput(
          `const ask = indexedDB.open('d'); ask.onupgradeneeded = () => ask.result.createObjectStore('s'); ask.onsuccess = () => ask.result.transaction('s', 'readwrite').objectStore('s').put({ value }, 1)`,
        ),
      ['card-in-storage'],
    ],
    ['the console', () => form('', pan) + onInput(`console.log('card', value)`), ['card-in-console']],
    ['a message', () => form('', pan) + onInput(`postMessage({ value }, '*')`), ['card-in-message']],
    ['no SDK', () => `<!doctype html><html lang="en">${pan}`, ['sdk-missing', 'links-missing']],
    [
      'a footer under an overlay',
      () => form('', '<div style="position:fixed;inset:0;background:#fff;pointer-events:none"></div>'),
      ['links-hidden'],
    ],
    ['a frame that has faded', () => form('', '<style>iframe{opacity:.01}</style>'), ['links-hidden']],
    ['a frame cut short', () => form('', '<style>#card{height:60px;overflow:hidden}</style>'), ['links-hidden']],
    [
      'a box that a script ticks',
      () =>
        form(
          `document.querySelector('#save-card').checked = true`.replace('document', 'setTimeout(() => document').concat(')'),
          '<label><input type="checkbox" id="save-card">Save</label>',
        ),
      ['consent-ticked'],
    ],
    [
      'a password in a script that is loaded',
      () => form(`fetch('/shop', { headers: { 'x-auth': '${tessera.merchantId}:${tessera.password}' } })`),
      ['password-in-page'],
    ],
    ['a call of its own', () => form(`void 'cards.create'`), ['own-call']],
    ['an SDK whose form never comes', () => `<!doctype html>${sdk}`, ['form-not-seen']],
    [
      'a form of another service',
      () => `<!doctype html><script src="http://127.0.0.1:9/sdk/v1/tessera.js" integrity="sha384-x" crossorigin="anonymous"></script>`,
      ['form-origin', 'csp-blocks-form'],
    ],
    ['an SDK that nothing pins', () => form().replace(/ integrity="[^"]*"/, ''), ['sdk-integrity']],
    ['a script of others that nothing pins', () => form('', '<script src="http://127.0.0.1:9/a.js"></script>'), ['script-integrity']],
    ['no policy', () => form(), ['csp-missing'], {}],
    [
      'a policy that blocks the frame',
      () => form(),
      ['csp-blocks-form'],
      { 'content-security-policy': `script-src 'self' 'nonce-n' *; frame-src 'none'` },
    ],
    ['a weak policy', () => form(), ['csp-weak'], { 'content-security-policy': `script-src * 'unsafe-inline'` }],
  ]
  for (const [title, page, asked, headers] of cases) {
    it(`sees ${title}`, async () => {
      const seen = broken(await check(page(), headers))
      for (const rule of asked) assert.ok(seen.includes(rule), `${rule} is not among ${seen.join(', ')}`)
      assert.deepEqual(
        shop.received.filter((line) => /8600069195406311/.test(line)),
        [],
      )
    })
  }

  it('a checkout behind a session is opened with the cookies that were given, and tells none of them', async () => {
    const target = shop.serve(form('', pan), { 'x-needs': 'session=c0ffee-c0ffee' })
    const bounds = { waitMs: 500, pageMs: 30_000, submits: false, formOrigin: null, browserPath: findChromium() }
    const asked = { ...bounds, target, signal: new AbortController().signal, progress: () => undefined }
    await assert.rejects(checkForm({ ...asked, isLive: false, cookies: 'session=other' }), CannotCheck)
    const report = await checkForm({ ...asked, isLive: true, cookies: 'a=b; session=c0ffee-c0ffee' })
    assert.ok(report.findings.some(({ rule, half }) => rule === 'card-input' && half === 'source'))
    assert.equal(report.live?.pages.length, 1)
    assert.doesNotMatch(JSON.stringify(report), /c0ffee-c0ffee/)
  })

  it('a page that hangs, goes away or breaks what looks at it is told as not checked', async () => {
    const hostile = [
      `<!doctype html><script>setTimeout(() => { for (;;); }, 300)</script>`,
      `<!doctype html><input autocomplete="cc-number"><script>Array.prototype.map = () => { throw new Error() }</script>`,
    ]
    const bounds = { waitMs: 500, pageMs: 9000, isLive: true, submits: true, formOrigin: null, browserPath: findChromium(), cookies: null }
    for (const html of hostile) {
      const asked = { ...bounds, target: shop.serve(html), signal: new AbortController().signal, progress: () => undefined }
      await assert.rejects(checkForm(asked), CannotCheck, html)
    }
  })

  it('whoever stops it waits no longer, and no browser is left', async () => {
    const stopping = new AbortController()
    const asked = {
      waitMs: 60_000,
      pageMs: 90_000,
      isLive: true,
      submits: true,
      formOrigin: null,
      browserPath: findChromium(),
      cookies: null,
    }
    const running = checkForm({
      ...asked,
      target: shop.serve(form()),
      signal: stopping.signal,
      progress(line) {
        if (line.startsWith('Opening')) stopping.abort()
      },
    })
    await assert.rejects(running, (err: unknown) => stopping.signal.aborted && !(err instanceof CannotCheck))
  })
})
