import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
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
