// needs: build
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

test('the script of the dashboard is at most 60 KiB gzipped', () => {
  const { length } = gzipSync(readFileSync(new URL('./dist/app.js', import.meta.url)), { level: 9 })
  assert.ok(length <= 60 * 1024, `it has ${String(length)} bytes`)
})
