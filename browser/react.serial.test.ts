// time limit: 120 s
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild-wasm'
import type { Page } from 'playwright-core'

import { enterCard, enterCode, startTestBed, observeForm, type OpenForm, type TestBed } from './form.fixture.ts'

const browserFolder = dirname(fileURLToPath(import.meta.url))

/** The newest React is installed at the root of the repository, the oldest supported one in `browser/`. */
const reacts = [
  { version: '18', folder: browserFolder },
  { version: '19', folder: dirname(browserFolder) },
]

for (const { version, folder } of reacts) {
  describe(`the card form in React ${version}`, () => {
    let testBed: TestBed
    let modules: Readonly<Record<string, string>>
    before(async () => {
      modules = await bundleReact(folder, version)
      testBed = await startTestBed()
    })
    after(() => testBed.stop())

    it(`is mounted once under StrictMode of ${version}, calls listeners from props, and is controlled by its ref`, async () => {
      const opened = await openReact(testBed, modules, { save: 'ask', locale: 'en' })
      await opened.waitForEvent('Ready')
      assert.equal(await opened.page.locator('iframe').count(), 1)
      assert.equal(opened.page.frames().length, 2)
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).form?.submit())
      assert.equal(((await opened.waitForEvent('Error')) as { reason: string }).reason, 'number_missing')
      await enterCard(opened, '8600069195406311')
      await opened.form.locator('#code').waitFor()
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).form?.back())
      await opened.form.locator('#number').waitFor()
      await enterCard(opened, '8600069195406311')
      await enterCode(opened)
      assert.equal(((await opened.waitForEvent('Token')) as { card: { number: string } }).card.number, '8600***6311')
      assert.deepEqual(complaintsOf(opened), [])
      await opened.page.close()
    })

    it(`applies new props and listeners without creating the form again, in ${version}`, async () => {
      const opened = await openReact(testBed, modules, { locale: 'en', labels: { submit: 'Keep it' } })
      await opened.form.locator('form.card button', { hasText: 'Keep it' }).waitFor()
      await opened.form.locator('#number').fill('8600')
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).show({ locale: 'ru', layout: 'row' }, 'second'))
      await opened.form.locator('html[lang=ru]').waitFor()
      await opened.form.locator('form.card button', { hasText: 'Продолжить' }).waitFor()
      assert.equal(await opened.form.locator('#number').inputValue(), '8600')
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).form?.submit())
      await opened.waitForEvent('second Error')
      assert.deepEqual(await opened.eventValues('Error'), [])
      assert.equal((await opened.eventValues('Ready')).length, 1)
      await opened.page.close()
    })

    it(`is created again for another merchant, and leaves nothing behind when it is removed, in ${version}`, async () => {
      const opened = await openReact(testBed, modules, { locale: 'en' })
      await opened.waitForEvent('Ready')
      const frame = await opened.page.waitForSelector('iframe')
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).show({ merchant: '65f0c0ffee0000000000caff' }))
      await opened.page.waitForFunction((old) => !old.isConnected, frame)
      assert.equal(await opened.page.locator('iframe').count(), 1)
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).show(null))
      await opened.page.locator('iframe').waitFor({ state: 'detached' })
      assert.equal(await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).form), null)
      await opened.page.close()
    })

    it(`shows an error in its place and calls onError while its merchant is undefined, in ${version}`, async () => {
      const opened = await openReact(testBed, modules, { locale: 'en' })
      await opened.waitForEvent('Ready')
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).show({ merchant: undefined }, 'second'))
      await opened.page.getByRole('alert').filter({ hasText: 'Karta formasini' }).waitFor()
      assert.equal(((await opened.waitForEvent('second Error')) as { reason: string }).reason, 'merchant_missing')
      assert.equal(await opened.page.locator('iframe').count(), 0)
      await opened.page.evaluate(() => (globalThis as unknown as ReactTestPage).show({ locale: 'en' }, 'third'))
      await opened.waitForEvent('third Ready')
      assert.equal(await opened.page.getByRole('alert').count(), 0)
      await opened.page.close()
    })

    it(`puts id, className and style on its element, and follows a new language of the page, in ${version}`, async () => {
      const opened = await openReact(testBed, modules, { locale: 'en-GB', id: 'form', className: 'wide', style: { maxWidth: 400 } })
      await opened.waitForEvent('Ready')
      await opened.form.locator('html[lang=en]').waitFor()
      await opened.page.evaluate(() => {
        document.documentElement.lang = 'ru-RU'
        ;(globalThis as unknown as ReactTestPage).show({ locale: 'auto', id: 'form', className: 'narrow' })
      })
      await opened.form.locator('html[lang=ru]').waitFor()
      assert.equal(await opened.page.locator('div#form.narrow > iframe[title="Данные карты"]').count(), 1)
      assert.equal(await opened.page.locator('#form').getAttribute('style'), '')
      await opened.page.close()
    })

    it(`is rendered by a server of ${version} as an empty element, and hydrated without warnings`, async () => {
      const html = await renderOnServer(folder, testBed)
      assert.equal(html, '<div></div>')
      const opened = await openReact(testBed, modules, { locale: 'en' }, html)
      await opened.waitForEvent('Ready')
      assert.deepEqual(complaintsOf(opened), [])
      await opened.page.close()
    })
  })
}

interface ReactTestPage {
  formEvents: Record<string, unknown[]>
  form: { submit: () => void; back: () => void } | null
  show: (props: object | null, prefix?: string) => void
}

/** Console lines, except React's advertisement and the warning about features of Permissions-Policy that the browser does not know. */
function complaintsOf({ consoleLines }: OpenForm): string[] {
  return consoleLines.filter((line) => !/React DevTools|Permissions-Policy/.test(line))
}

/** Opens a shop that loads React with an import map and the wrapper from the service, as a page without a bundler does. */
async function openReact(testBed: TestBed, modules: Readonly<Record<string, string>>, props: object, html = ''): Promise<OpenForm> {
  const page = await testBed.browser.newPage()
  await serveModules(page, modules)
  const opened = observeForm(page)
  const imports = { react: '/react.mjs', 'react-dom/client': '/react.mjs' }
  const head = `<script type="importmap">${JSON.stringify({ imports })}</script>`
  const given = JSON.stringify({ merchant: testBed.merchant, ...props })
  const main = `
    import { createElement, StrictMode, createRoot, hydrateRoot } from 'react'
    import { TesseraCardForm } from '${testBed.formOrigin}/sdk/v1/react.mjs'
    globalThis.formEvents = {}
    const listeners = (prefix) => Object.fromEntries(['Ready', 'Change', 'Step', 'Token', 'Error', 'Wait', 'Seen'].map((name) =>
      ['on' + name, (value) => (formEvents[prefix + name] ??= []).push(value instanceof Error ? { ...value } : (value ?? null))]))
    const app = (props, prefix) => createElement(StrictMode, null,
      props && createElement(TesseraCardForm, { ...props, ...listeners(prefix), formRef: (form) => (globalThis.form = form) }))
    const place = document.getElementById('card')
    const root = ${html === '' ? 'createRoot(place)' : `hydrateRoot(place, app(${given}, ''))`}
    globalThis.show = (props, prefix = '') => root.render(app(props && { ...${JSON.stringify({ merchant: testBed.merchant })}, ...props }, prefix && prefix + ' '))
    ${html === '' ? `show(${given})` : ''}
  `
  await page.goto(testBed.servePage({ head, body: `<div id="card">${html}</div><script type="module">${main}</script>` }))
  return opened
}

function serveModules(page: Page, modules: Readonly<Record<string, string>>): Promise<unknown> {
  return page.route(/\/react\.mjs$/, (route) => {
    const text = new URL(route.request().url()).pathname === '/react.mjs' ? modules['react'] : undefined
    return text === undefined ? route.continue() : route.fulfill({ contentType: 'text/javascript', body: text })
  })
}

/** Bundles React and React DOM as one ES module, as CDNs do. Development builds, because they warn. */
async function bundleReact(folder: string, version: string): Promise<Readonly<Record<string, string>>> {
  const require = createRequire(join(folder, 'any.js'))
  assert.equal((require('react') as { version: string }).version.split('.')[0], version)
  const names = ['createElement', 'StrictMode', 'useEffect', 'useRef', 'useState']
  const contents = `import * as React from 'react'; import * as Dom from 'react-dom/client'
    export const { ${names.join()} } = React; export const { createRoot, hydrateRoot } = Dom`
  const built = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"development"' },
  })
  return { react: built.outputFiles[0]?.text ?? '' }
}

/** Renders the wrapper in Node, bundled with this React. */
async function renderOnServer(folder: string, { merchant, formOrigin }: TestBed): Promise<string> {
  const contents = `import { createElement } from 'react'; import { renderToString } from 'react-dom/server'
    import { TesseraCardForm } from '${join(browserFolder, 'page', 'react.ts').replaceAll('\\', '/')}'
    module.exports = renderToString(createElement(TesseraCardForm, ${JSON.stringify({ merchant, formOrigin })}))`
  const react = createRequire(join(folder, 'any.js')).resolve('react')
  const built = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    alias: { react },
    define: { 'import.meta.url': 'undefined' },
  })
  const file = join(mkdtempSync(join(tmpdir(), 'tessera-react-')), 'rendered.cjs')
  writeFileSync(file, built.outputFiles[0]?.text ?? '')
  const rendered: unknown = createRequire(import.meta.url)(file)
  rmSync(dirname(file), { recursive: true })
  return String(rendered)
}
