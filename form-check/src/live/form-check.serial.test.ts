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

  async function check(
    html: string,
    { headers = { 'content-security-policy': policy }, waitMs = 500 }: { headers?: Readonly<Record<string, string>>; waitMs?: number } = {},
  ): Promise<Report> {
    const asked = {
      waitMs,
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

  /**
   * Each page breaks its rules, beside whatever the input of its own breaks. A browser is started for each, so what breaks different rules
   * stands on one page; what breaks the same rule in another way stands on another.
   */
  const cases: [title: string, page: () => string, rules: RuleId[], how?: Parameters<typeof check>[1]][] = [
    [
      'an input in a closed shadow root, under a weak policy',
      () =>
        form(
          `const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' }); root.innerHTML = '${pan}'`,
        ),
      ['card-input', 'csp-weak'],
      { headers: { 'content-security-policy': `script-src * 'unsafe-inline'` } },
    ],
    [
      'an input in a closed shadow root that the markup declares, and a footer under an overlay',
      () =>
        form(
          '',
          `<div><template shadowrootmode="closed">${pan}</template></div><div style="position:fixed;inset:0;background:#fff;pointer-events:none"></div>`,
        ),
      ['card-input', 'links-hidden'],
    ],
    [
      'an input that is added a second later, and a frame that has faded',
      () => form(`setTimeout(() => document.body.insertAdjacentHTML('beforeend', '${pan}'), 1000)`, '<style>iframe{opacity:.01}</style>'),
      ['card-input', 'links-hidden'],
      { waitMs: 5000 },
    ],
    [
      'an input that is there for a moment only, and a frame cut short',
      () =>
        form(
          `setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '${pan}'); setTimeout(() => document.querySelector('#pan').remove(), 50) }, 200)`,
          '<style>#card{height:60px;overflow:hidden}</style>',
        ),
      ['card-input', 'links-hidden'],
    ],
    [
      'what a careless page does all at once: a CVV, a name, an action around the form, a ticked box, a password, a call of its own, nothing pinned, no policy',
      () =>
        form(
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
        ...(['sad-input', 'input-name', 'form-action', 'consent-ticked', 'password-in-page'] as const),
        ...(['own-call', 'sdk-integrity', 'script-integrity', 'csp-missing'] as const),
      ],
      { headers: {} },
    ],
    [
      'fetch, and a cookie',
      () => form('', pan) + onInput(`fetch('/take', { method: 'POST', body: value }); document.cookie = 'draft=' + value`),
      ['card-submitted', 'card-in-storage'],
    ],
    [
      'XMLHttpRequest, in base64, and an indexed database',
      () =>
        form('', pan) +
        onInput(
          `const ask = new XMLHttpRequest(); ask.open('POST', '/take'); ask.send(btoa(value)); const open = indexedDB.open('d'); open.onupgradeneeded = () => open.result.createObjectStore('s'); open.onsuccess = () => open.result.transaction('s', 'readwrite').objectStore('s').put({ value }, 1)`,
        ),
      ['card-submitted', 'card-in-storage'],
    ],
    [
      'sendBeacon of a Blob, and a message',
      () => form('', pan) + onInput(`navigator.sendBeacon('/take', new Blob([value])); postMessage({ value }, '*')`),
      ['card-submitted', 'card-in-message'],
    ],
    [
      'a WebSocket, and the console',
      () =>
        form(
          '',
          pan + `<script nonce="n">const socket = new WebSocket('/socket'.replace(/^/, location.origin.replace('http', 'ws')))</script>`,
        ) + onInput(`socket.send(value); console.log('card', value)`),
      ['card-submitted', 'card-in-console'],
    ],
    [
      'the address of a picture, and local storage',
      () => form('', pan) + onInput(`new Image().src = '/take?c=' + value; localStorage.draft = value`),
      ['card-submitted', 'card-in-storage'],
    ],
    [
      'a form that is submitted',
      () => form('', `<form>${pan.replace('>', ' name="c">')}<button>Pay</button></form>`),
      ['card-submitted', 'input-name'],
    ],
    ['no SDK', () => `<!doctype html><html lang="en">${pan}`, ['sdk-missing', 'links-missing']],
    ['an SDK whose form never comes', () => `<!doctype html>${sdk}`, ['form-not-seen']],
    [
      'a form of another service',
      () => `<!doctype html><script src="http://127.0.0.1:9/sdk/v1/tessera.js" integrity="sha384-x" crossorigin="anonymous"></script>`,
      ['form-origin', 'csp-blocks-form'],
    ],
    [
      'a policy that blocks the frame',
      () => form(),
      ['csp-blocks-form'],
      { headers: { 'content-security-policy': `script-src 'self' 'nonce-n' *; frame-src 'none'` } },
    ],
  ]
  for (const [title, page, asked, how] of cases) {
    it(`sees ${title}`, async () => {
      const seen = broken(await check(page(), how))
      for (const rule of asked) assert.ok(seen.includes(rule), `${rule} is not among ${seen.join(', ')}`)
      assert.deepEqual(
        shop.received.filter((line) => /8600069195406311/.test(line)),
        [],
      )
    })
  }

  it('says of a card that did not come to the code what happened to it, and nothing else', async () => {
    const unseen = check(form('', '<style>#card{display:none}</style>'))
    const refused = check(form().replace(`locale: 'en'`, `locale: 'en', session: 'none'`))
    const [{ notes, findings }, { notes: told }] = [await unseen, await refused]
    assert.deepEqual(notes, [])
    assert.ok(findings.some(({ rule, shown }) => rule === 'form-not-seen' && shown === 'the form takes no card'))
    assert.equal(told.length, 1, told.join('\n'))
    assert.match(told[0] ?? '', /^The card was typed into the form and sent, and no SMS code was asked for: the form says “.+”\.$/)
  })

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
