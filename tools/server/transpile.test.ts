import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { transpile } from './transpile.ts'

test('types become blanks, files have their new names, and everything else stays', () => {
  const source = `import { a, type B } from './a.ts'
export type { C } from '../c.ts'
export { d } from "../d/e.f.ts"
const late = await import('./late.ts')
const worker = new URL('./worker.ts', import.meta.url)
const other = new URL('worker.ts', import.meta.url)
const files: readonly string[] = ['tessera.d.ts', './no-import.ts', '@tessera/contract/card']
`
  const lines = transpile(source).split('\n')
  assert.equal(lines[0]?.replaceAll(/ +/g, ' '), "import { a, } from './a.js'")
  assert.equal(lines[1]?.trim(), '')
  assert.equal(lines[2], 'export { d } from "../d/e.f.js"')
  assert.equal(lines[3], "const late = await import('./late.js')")
  assert.equal(lines[4], "const worker = new URL('./worker.js', import.meta.url)")
  assert.equal(lines[5], "const other = new URL('worker.js', import.meta.url)")
  assert.equal(lines[6]?.replaceAll(/ +/g, ' '), "const files = ['tessera.d.ts', './no-import.ts', '@tessera/contract/card']")
})

test('no source of the service names a TypeScript file in a way that is not rewritten', () => {
  const root = join(import.meta.dirname, '../..')
  for (const folder of ['service/src', 'contract/src', 'vault/src', 'form-check/src']) {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    for (const path of paths.filter((each) => each.endsWith('.ts') && !/\.(?:test|suite|fixture)\.ts$|^testing\//.test(each))) {
      const left = transpile(readFileSync(join(root, folder, path), 'utf8'))
        .split('\n')
        .filter((line) => /^[^/*]*['"`][\w./-]+(?<!\.d)\.ts['"`]/.test(line))
      assert.deepEqual(left, [], path)
    }
  }
})
