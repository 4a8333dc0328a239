// time limit: 600 s
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild-wasm'

import { awaitWithin } from '../tools/await-within.ts'
import { findFreePort } from '../tools/free-port.ts'
import { enterCard, enterCode, observeForm, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const success = '8600069195406311'

describe('the guides of the card form, followed word by word', () => {
  let testBed: TestBed
  let folder: string
  const started: ChildProcess[] = []
  before(async () => {
    testBed = await startTestBed()
    folder = mkdtempSync(join(tmpdir(), 'tessera-guide-'))
  })
  after(async () => {
    for (const child of started) child.kill()
    rmSync(folder, { recursive: true, force: true })
    await testBed.stop()
  })

  /** Writes the named files of a guide into an empty folder. The address is that of the running service. */
  function writeFiles(guide: string, port = 8000): string {
    const target = mkdtempSync(join(folder, guide))
    const text = readFileSync(join(root, 'docs', 'guides', `${guide}.md`), 'utf8')
    const files = [...text.matchAll(/^`([\w.-]+)`:\n\n```\w+\n([^]*?)^```$/gm)]
    assert.ok(files.length > 0, guide)
    for (const [, name = '', content = ''] of files) {
      const here = content.replaceAll('http://127.0.0.1:8080', testBed.formOrigin).replaceAll('8000', String(port))
      writeFileSync(join(target, name), here)
    }
    return target
  }

  it('give a page and a server, in one folder, that accept a test card under their own security policy', async () => {
    const port = await findFreePort()
    const shop = spawn(process.execPath, ['server.mjs'], { cwd: writeFiles('card-form', port), stdio: ['ignore', 'pipe', 'inherit'] })
    started.push(shop)
    await awaitWithin(new Promise((resolve) => shop.stdout.once('data', resolve)), 'the shop of the guide listens')
    const page = await testBed.browser.newPage({ locale: 'en-US' })
    const opened = observeForm(page)
    await page.goto(`http://localhost:${String(port)}/`)
    await enterCard(opened, success)
    await enterCode(opened)
    await page.locator('#status', { hasText: 'Accepted: 8600***6311' }).waitFor()
    assert.deepEqual(
      opened.consoleLines.filter((line) => !/Permissions-Policy|favicon|404/.test(line)),
      [],
    )
    await page.close()
  })

  it('give a server and a page that create a form session, and another one when it is used up', async () => {
    const port = await findFreePort()
    const target = writeFiles('card-form', port)
    const blocks = [...readFileSync(join(root, 'docs/guides/card-form.md'), 'utf8').matchAll(/```js\n([^]*?)```/g)].map(
      ([, block = '']) => block,
    )
    const [route = '', ...create] = blocks.find((block) => block.includes('createSession'))?.split('\n\n') ?? []
    const renew = blocks.find((block) => block.includes('newSession')) ?? assert.fail('the guide renews no session')
    const edit = (name: string, change: (text: string) => string): void => {
      const path = join(target, name)
      writeFileSync(path, change(readFileSync(path, 'utf8')))
    }
    const posted = "  if (request.method === 'POST')"
    const functions = create.join('\n\n').replace('8000', String(port))
    edit('server.mjs', (text) => text.replace(posted, `${route}\n${posted}`) + functions)
    edit('checkout.js', (text) => text.replace("form.mount('#card')", renew))
    const shop = spawn(process.execPath, ['server.mjs'], { cwd: target, stdio: ['ignore', 'pipe', 'inherit'] })
    started.push(shop)
    await awaitWithin(new Promise((resolve) => shop.stdout.once('data', resolve)), 'the shop of the guide listens')
    const page = await testBed.browser.newPage({ locale: 'en-US' })
    const sessions: string[] = []
    const creations: (string | undefined)[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/session')) void response.text().then((text) => sessions.push(text))
    })
    page.on('request', (request) => {
      if (!request.url().endsWith('/cards.create')) return
      creations.push((JSON.parse(request.postData() ?? '{}') as { params: { session?: string } }).params.session)
    })
    const opened = observeForm(page)
    await page.goto(`http://localhost:${String(port)}/`)
    // Three cards whose bank sends no SMS, then one more than the session takes.
    for (let count = 1; count <= 4; count += 1) {
      const refused = page.waitForEvent('console', (line) => /^(sms_not_connected|session_used_up) /.test(line.text()))
      await enterCard(opened, '8600060921090842')
      await refused
    }
    await page.waitForFunction(() => performance.getEntriesByName(`${location.origin}/session`).length === 2)
    await enterCard(opened, success)
    await enterCode(opened)
    await page.locator('#status', { hasText: 'Accepted: 8600***6311' }).waitFor()
    assert.equal(sessions.length, 2)
    assert.deepEqual([new Set(creations.slice(0, 4)), creations.at(-1)], [new Set([sessions[0]]), sessions[1]])
    await page.close()
  })

  it('give a script tag whose hash is that of the script, and a browser runs no other', async () => {
    const { version, files } = (await (await fetch(`${testBed.formOrigin}/sdk/v1/integrity.json`)).json()) as {
      version: string
      files: Record<string, string>
    }
    const tag = /<script src=".*integrity="sha384-…".*<\/script>/.exec(readFileSync(join(root, 'docs/guides/card-form.md'), 'utf8'))?.[0]
    const open = async (integrity: string): Promise<string> => {
      const here = tag?.replace('http://127.0.0.1:8080', testBed.formOrigin).replace('0.1.0', version).replace('sha384-…', integrity)
      const page = await testBed.browser.newPage()
      // The page of the test bed loads the script again at its end.
      await page.goto(testBed.servePage({ head: `${here ?? ''}<script>globalThis.type = typeof Tessera</script>` }))
      const type = await page.evaluate(() => (globalThis as unknown as { type: string }).type)
      await page.close()
      return type
    }
    assert.equal(await open(files['tessera.js'] ?? ''), 'object')
    assert.equal(await open(`sha384-${'A'.repeat(64)}`), 'undefined')
  })

  it('give a button of the page that sends the card and the code, and knows the outcome', async () => {
    const text = readFileSync(join(root, 'docs/guides/card-form.md'), 'utf8')
    const code = [...text.matchAll(/```js\n([^]*?)```/g)]
      .map(([, block = '']) => block)
      .find((block) => block.includes('await form.verify()'))
    const opened = await openPage(`<button id="pay">Pay</button><div id="card"></div>
      <script src="${testBed.formOrigin}/sdk/v1/tessera.js"></script>
      <script>const payButton = document.getElementById('pay'); const sendToYourServer = (token) => (globalThis.sent = token)
      ${code ?? ''}</script>`)
    await opened.form.locator('#number').fill(success)
    await opened.form.locator('#expiry').fill('0399')
    await opened.page.locator('#pay:enabled').click()
    const otp = opened.form.locator('#code:visible')
    await otp.waitFor()
    await otp.pressSequentially('666666')
    await opened.page.locator('#pay:enabled').click()
    await opened.page.waitForFunction(() => /^[0-9a-f]{24}_/.test((globalThis as { sent?: string }).sent ?? ''))
    await opened.page.close()
  })

  for (const [guide, entry, plugin] of [
    ['vue', `import { createApp } from 'vue'; import App from './Checkout.vue'; createApp(App).mount('#app')`, vueFiles],
    [
      'svelte',
      `import { mount } from 'svelte'; import App from './Checkout.svelte'; mount(App, { target: document.getElementById('app') })`,
      svelteFiles,
    ],
  ] as const) {
    it(`give components for ${guide} that accept a card, change their language, and report a mistake`, async () => {
      const target = writeFiles(guide)
      const script = await bundleGuide(target, entry, plugin())
      const opened = await openPage(`<div id="app"></div><script type="module">${script.replaceAll('</script', '<\\/script')}</script>`)
      await opened.form.locator('html[lang=en][style*="#0b57d0"]').waitFor()
      await opened.page.locator('button').click()
      await opened.form.locator('html[lang=ru]').waitFor()
      await enterCard(opened, '4444445987459073')
      await opened.page.locator('.problem', { hasText: 'card_blocked' }).waitFor()
      await enterCard(opened, success)
      await enterCode(opened)
      await opened.page.locator('.accepted', { hasText: '8600***6311' }).waitFor()
      assert.deepEqual(
        opened.consoleLines.filter((line) => !/Permissions-Policy|favicon|404/.test(line)),
        [],
      )
      await opened.page.close()
    })
  }

  it('give a React component that compiles and is mounted', async () => {
    const target = writeFiles('card-form')
    const entry = `import { createElement } from 'react'; import { createRoot } from 'react-dom/client'; import { Checkout } from './Checkout.jsx'
      createRoot(document.getElementById('app')).render(createElement(Checkout, { onCard: (token, card) => (globalThis.accepted = card.number) }))`
    const script = await bundleGuide(target, entry)
    const opened = await openPage(`<div id="app"></div><script type="module">${script.replaceAll('</script', '<\\/script')}</script>`)
    await opened.page.locator('.checkout-card > iframe').waitFor()
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.page.waitForFunction(() => (globalThis as { accepted?: string }).accepted === '8600***6311')
    await opened.page.close()
  })

  async function openPage(body: string): Promise<OpenForm> {
    const page = await testBed.browser.newPage({ locale: 'en-US' })
    const opened = observeForm(page)
    await page.goto(testBed.servePage({ body }))
    return opened
  }

  /** As a merchant's bundler does it. The package is that of the sources. */
  async function bundleGuide(target: string, entry: string, ...plugins: Plugin[]): Promise<string> {
    const built = await build({
      stdin: { contents: entry, resolveDir: target },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      conditions: ['browser', 'production'],
      jsx: 'automatic',
      charset: 'utf8',
      nodePaths: [join(root, 'node_modules')],
      alias: {
        // Not the older one, which is installed beside the sources.
        react: join(root, 'node_modules/react'),
        '@tessera/browser/react': join(root, 'browser/page/react-module.ts'),
        '@tessera/browser': join(root, 'browser/page/module.ts'),
      },
      define: {
        'process.env.NODE_ENV': '"production"',
        __VUE_OPTIONS_API__: 'true',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
      plugins,
    })
    return built.outputFiles[0]?.text ?? ''
  }
})

function vueFiles(): Plugin {
  return {
    name: 'vue',
    setup(bundler) {
      bundler.onLoad({ filter: /\.vue$/ }, async ({ path }) => {
        const { compileScript, parse } = await import('vue/compiler-sfc')
        const { descriptor, errors } = parse(readFileSync(path, 'utf8'), { filename: path })
        assert.deepEqual(errors, [])
        const { content } = compileScript(descriptor, { id: path, inlineTemplate: true })
        return { contents: content, loader: 'js', resolveDir: dirname(path) }
      })
    },
  }
}

function svelteFiles(): Plugin {
  return {
    name: 'svelte',
    setup(bundler) {
      bundler.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
        const { compile } = await import('svelte/compiler')
        const { js, warnings } = compile(readFileSync(path, 'utf8'), { filename: path, generate: 'client' })
        assert.deepEqual(
          warnings.map(({ message }) => message),
          [],
        )
        return { contents: js.code, loader: 'js', resolveDir: dirname(path) }
      })
    },
  }
}
