import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chromium as playwright } from 'playwright-core'
import { chromiumFlags, findChromium, findTestBrowser } from './chromium.ts'

test('the browsers that tests use start on this machine and print a page', () => {
  for (const program of [findChromium(), findTestBrowser()]) {
    assert.ok(program !== null)
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
    const flags = [...chromiumFlags(), `--user-data-dir=${profile}`, '--dump-dom', 'data:text/html,<title>here</title>']
    const page = execFileSync(program, flags, { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'] })
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
    assert.match(page, /<title>here<\/title>/)
  }
})

test('a frame of another site has a process of its own, in the browser that tests use too', async () => {
  const server = createServer((request, response) => {
    const text = request.url === '/' ? `<iframe src="http://127.0.0.1:${port}/inner"></iframe>` : 'inner'
    response.writeHead(200, { 'content-type': 'text/html' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    for (const executablePath of [findChromium(), findTestBrowser()]) {
      const browser = await playwright.launch({ executablePath: executablePath ?? '', args: chromiumFlags() })
      const page = await browser.newPage()
      await page.goto(`http://localhost:${port}/`)
      await page.frameLocator('iframe').getByText('inner').waitFor()
      const { targetInfos } = await (await browser.newBrowserCDPSession()).send('Target.getTargets')
      await browser.close()
      assert.ok(
        targetInfos.some(({ type }) => type === 'iframe'),
        `${executablePath}: ${JSON.stringify(targetInfos)}`,
      )
    }
  } finally {
    server.close().closeAllConnections()
  }
})

test('every feature that Playwright disables is disabled, and a new page has no pages of the address bar beside it', async () => {
  const server = await playwright.launchServer({ executablePath: findChromium() ?? '', args: chromiumFlags() })
  try {
    const lists = server.process().spawnargs.filter((flag) => flag.startsWith('--disable-features='))
    const [ours = '', ...others] = lists.map((flag) => flag.split('=')[1] ?? '').toReversed()
    assert.ok(others.length > 0, 'Playwright disables nothing')
    assert.deepEqual(
      others.flatMap((list) => list.split(',')).filter((feature) => !ours.split(',').includes(feature)),
      [],
    )

    const browser = await playwright.connect(server.wsEndpoint())
    const page = await browser.newPage()
    await page.setContent('<title>here</title>')
    const session = await browser.newBrowserCDPSession()
    const { targetInfos } = await session.send('Target.getTargets', { filter: [{}] })
    assert.deepEqual(targetInfos.map(({ type }) => type).toSorted(), ['page', 'tab'])
  } finally {
    await server.close()
  }
})
