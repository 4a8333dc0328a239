// needs: build
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

test('script and style of the dashboard have at most 68 KiB gzipped, which leaves 5 KB of 75 to the texts of the first page', () => {
  const bytes = ['app.js', 'app.css'].map((name) => gzipSync(readFileSync(new URL(`./dist/${name}`, import.meta.url))).length)
  const sum = bytes.reduce((before, each) => before + each, 0)
  assert.ok(sum <= 68 * 1024, `they have ${bytes.join(' and ')} bytes`)
})
