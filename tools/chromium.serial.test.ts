import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { chromium as playwright } from 'playwright-core'
import { chromiumFlags, findChromium } from './chromium.ts'

test('the browser that tests use starts on this machine and prints a page', () => {
  const chromium = findChromium()
  assert.ok(chromium !== null)
  const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
  const flags = [...chromiumFlags(), `--user-data-dir=${profile}`, '--dump-dom', 'data:text/html,<title>here</title>']
  const page = execFileSync(chromium, flags, { encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'ignore'] })
  rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  assert.match(page, /<title>here<\/title>/)
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
