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

import { enterCard, enterCode, startStage, watch, type Opened, type Stage } from './form.fixture.ts'

const browserFolder = dirname(fileURLToPath(import.meta.url))

/** Newest React lies at the root of the project, the oldest that is taken in `browser/`. */
const reacts = [
  { version: '18', folder: browserFolder },
  { version: '19', folder: dirname(browserFolder) },
]

for (const { version, folder } of reacts) {
  describe(`the card form in React ${version}`, () => {
    let stage: Stage
    let modules: Readonly<Record<string, string>>
    before(async () => {
      modules = await bundleReact(folder, version)
      stage = await startStage()
    })
    after(() => stage.stop())

    it(`is there once under StrictMode of ${version}, tells its events as props, and is worked by its ref`, async () => {
      const opened = await openReact(stage, modules, { save: 'ask', locale: 'en' })
      await opened.heard('Ready')
      assert.equal(await opened.page.locator('iframe').count(), 1)
      assert.equal(opened.page.frames().length, 2)
      await opened.page.evaluate(() => (globalThis as unknown as InPage).form?.submit())
      assert.equal(((await opened.heard('Error')) as { reason: string }).reason, 'number_missing')
      await enterCard(opened, '8600069195406311')
      await opened.form.locator('#code').waitFor()
      await opened.page.evaluate(() => (globalThis as unknown as InPage).form?.back())
      await opened.form.locator('#number').waitFor()
      await enterCard(opened, '8600069195406311')
      await enterCode(opened)
      assert.equal(((await opened.heard('Token')) as { card: { number: string } }).card.number, '8600***6311')
      assert.deepEqual(complaintsOf(opened), [])
      await opened.page.close()
    })

    it(`hears new props and new listeners without being made again, in ${version}`, async () => {
      const opened = await openReact(stage, modules, { locale: 'en', labels: { submit: 'Keep it' } })
      await opened.form.locator('form.card button', { hasText: 'Keep it' }).waitFor()
      await opened.form.locator('#number').fill('8600')
      await opened.page.evaluate(() => (globalThis as unknown as InPage).show({ locale: 'ru', layout: 'row' }, 'second'))
      await opened.form.locator('html[lang=ru]').waitFor()
      await opened.form.locator('form.card button', { hasText: 'Продолжить' }).waitFor()
      assert.equal(await opened.form.locator('#number').inputValue(), '8600')
      await opened.page.evaluate(() => (globalThis as unknown as InPage).form?.submit())
      await opened.heard('second Error')
      assert.deepEqual(await opened.said('Error'), [])
      assert.equal((await opened.said('Ready')).length, 1)
      await opened.page.close()
    })

    it(`is made again for another merchant, and leaves nothing when it goes, in ${version}`, async () => {
      const opened = await openReact(stage, modules, { locale: 'en' })
      await opened.heard('Ready')
      const frame = await opened.page.waitForSelector('iframe')
      await opened.page.evaluate(() => (globalThis as unknown as InPage).show({ merchant: '65f0c0ffee0000000000caff' }))
      await opened.page.waitForFunction((old) => !old.isConnected, frame)
      assert.equal(await opened.page.locator('iframe').count(), 1)
      await opened.page.evaluate(() => (globalThis as unknown as InPage).show(null))
      await opened.page.locator('iframe').waitFor({ state: 'detached' })
      assert.equal(await opened.page.evaluate(() => (globalThis as unknown as InPage).form), null)
      await opened.page.close()
    })

    it(`is rendered by a server of ${version} as an empty place, and taken over without a word`, async () => {
      const html = await renderOnServer(folder, stage)
      assert.equal(html, '<div></div>')
      const opened = await openReact(stage, modules, { locale: 'en' }, html)
      await opened.heard('Ready')
      assert.deepEqual(complaintsOf(opened), [])
      await opened.page.close()
    })
  })
}

interface InPage {
  said: Record<string, unknown[]>
  form: { submit: () => void; back: () => void } | null
  show: (props: object | null, prefix?: string) => void
}

/** What the browser wrote beside React's own advertisement, and what it thinks of a header whose features it does not all know. */
function complaintsOf({ lines }: Opened): string[] {
  return lines.filter((line) => !/React DevTools|Permissions-Policy/.test(line))
}

/** A shop that loads React by an import map, and the wrapper from the service, as a page without a bundler does. */
async function openReact(stage: Stage, modules: Readonly<Record<string, string>>, props: object, html = ''): Promise<Opened> {
  const page = await stage.browser.newPage()
  await serveModules(page, modules)
  const opened = watch(page)
  const imports = { react: '/react.mjs', 'react-dom/client': '/react.mjs' }
  const head = `<script type="importmap">${JSON.stringify({ imports })}</script>`
  const given = JSON.stringify({ merchant: stage.merchant, ...props })
  const main = `
    import { createElement, StrictMode, createRoot, hydrateRoot } from 'react'
    import { TesseraCardForm } from '${stage.formOrigin}/sdk/v1/react.mjs'
    globalThis.said = {}
    const listeners = (prefix) => Object.fromEntries(['Ready', 'Change', 'Step', 'Token', 'Error', 'Wait', 'Seen'].map((name) =>
      ['on' + name, (value) => (said[prefix + name] ??= []).push(value ?? null)]))
    const app = (props, prefix) => createElement(StrictMode, null,
      props && createElement(TesseraCardForm, { ...props, ...listeners(prefix), formRef: (form) => (globalThis.form = form) }))
    const place = document.getElementById('card')
    const root = ${html === '' ? 'createRoot(place)' : `hydrateRoot(place, app(${given}, ''))`}
    globalThis.show = (props, prefix = '') => root.render(app(props && { ...${JSON.stringify({ merchant: stage.merchant })}, ...props }, prefix && prefix + ' '))
    ${html === '' ? `show(${given})` : ''}
  `
  await page.goto(stage.place({ head, body: `<div id="card">${html}</div><script type="module">${main}</script>` }))
  return opened
}

function serveModules(page: Page, modules: Readonly<Record<string, string>>): Promise<unknown> {
  return page.route(/\/react\.mjs$/, (route) => {
    const text = new URL(route.request().url()).pathname === '/react.mjs' ? modules['react'] : undefined
    return text === undefined ? route.continue() : route.fulfill({ contentType: 'text/javascript', body: text })
  })
}

/** React and its DOM in one module with their names, as CDNs make it of packages that are CommonJS. Development builds: they warn. */
async function bundleReact(folder: string, version: string): Promise<Readonly<Record<string, string>>> {
  const require = createRequire(join(folder, 'any.js'))
  assert.equal((require('react') as { version: string }).version.split('.')[0], version)
  const names = ['createElement', 'StrictMode', 'useEffect', 'useRef']
  const contents = `import * as React from 'react'; import * as Dom from 'react-dom/client'
    export const { ${names.join()} } = React; export const { createRoot, hydrateRoot } = Dom`
  const built = await build({
    stdin: { contents, resolveDir: folder },
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', define: { 'process.env.NODE_ENV': '"development"' } },
  })
  return { react: built.outputFiles[0]?.text ?? '' }
}

/** In Node, where there is no window: the very wrapper, in one bundle with this React. */
async function renderOnServer(folder: string, { merchant, formOrigin }: Stage): Promise<string> {
  const contents = `import { createElement } from 'react'; import { renderToString } from 'react-dom/server'
    import { TesseraCardForm } from '${join(browserFolder, 'page', 'react.ts').replaceAll('\\', '/')}'
    module.exports = renderToString(createElement(TesseraCardForm, ${JSON.stringify({ merchant, formOrigin })}))`
  const react = createRequire(join(folder, 'any.js')).resolve('react')
  const built = await build({
    stdin: { contents, resolveDir: folder },
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node', alias: { react }, define: { 'import.meta.url': 'undefined' } },
  })
  const file = join(mkdtempSync(join(tmpdir(), 'tessera-react-')), 'rendered.cjs')
  writeFileSync(file, built.outputFiles[0]?.text ?? '')
  const rendered: unknown = createRequire(import.meta.url)(file)
  rmSync(dirname(file), { recursive: true })
  return String(rendered)
}
