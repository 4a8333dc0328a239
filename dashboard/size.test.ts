// needs: build
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

const folder = new URL('./dist/', import.meta.url)

test('the first page loads at most 60 KiB of scripts and styles, gzipped, whichever page it is, in at most 8 files', () => {
  const pages = [...readScript('app.js').matchAll(/import\("\.\/(part-\w+\.js)"\)/g)].map(([, name = '']) => name)
  assert.ok(pages.length >= 15, `the first script imports ${String(pages.length)} pages`)
  const first = ['app.css', ...closureOf('app.js')]
  for (const page of pages) {
    const files = new Set([...first, ...closureOf(page)])
    const bytes = [...files].reduce((sum, name) => sum + gzipSync(readFileSync(new URL(name, folder)), { level: 9 }).length, 0)
    assert.ok(bytes <= 60 * 1024 && files.size <= 8, `${page}: ${String(bytes)} bytes in ${[...files].join(', ')}`)
  }
})

test('every built script is loaded by some page', () => {
  const built = readdirSync(folder).filter((name) => /^(?:app|part-\w+)\.js$/.test(name))
  assert.deepEqual([...closureOf('app.js', /(?:from|import)\(?"\.\/(part-\w+\.js)"/g)].sort(), built.sort())
})

/** A script and those that it cannot run without; with another pattern those that it may load later, too. */
function closureOf(script: string, imports = /(?:from|import)"\.\/(part-\w+\.js)"/g): string[] {
  const found = new Set([script])
  for (const name of found) {
    for (const [, imported = ''] of readScript(name).matchAll(imports)) found.add(imported)
  }
  return [...found]
}

function readScript(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8')
}
