import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

test('objects that do not live on are allocated in the young generation, also after a time in which they lived on', () => {
  const usual = grownBytes()
  assert.ok(usual > 1_000_000, `the control: V8 allocates them in the old generation by default (${String(usual)} bytes)`)
  const young = grownBytes('young')
  assert.ok(young < 100_000, `${String(young)} bytes in the old generation`)
})

/** Bytes by which 100,000 such objects make the old generation larger. */
function grownBytes(...args: readonly string[]): number {
  const program = fileURLToPath(new URL('pretenured.fixture.ts', import.meta.url))
  const printed = execFileSync(process.execPath, ['--max-semi-space-size=1', program, ...args], { encoding: 'utf8' })
  return (JSON.parse(printed) as { readonly grownBytes: number }).grownBytes
}
