import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const declarations = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.css') && !/^(dist|node_modules|docs)\b/.test(path))
  .flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/^\s+([a-z-]+): ([^;]+);/gm)].map(([, name = '', value = '']) => ({
      path,
      name,
      value,
    })),
  )

test('sizes of text are those of the scale, or relative to the text around', () => {
  const sizes = declarations.filter(({ name }) => name === 'font-size')
  assert.ok(sizes.length > 30)
  const others = sizes.filter(
    ({ value }) => !/^(var\(--text-[a-z]+\)|inherit|[0-9.]+em|11\.5px|clamp\(.*var\(--text-[a-z]+\).*\))$/.test(value),
  )
  assert.deepEqual(others, [])
})

test('distances are multiples of an eighth of a rem', () => {
  const distances = declarations.filter(({ name }) => /^(gap|row-gap|column-gap|margin|padding)/.test(name))
  assert.ok(distances.length > 200)
  const others = distances.filter(({ value }) => [...value.matchAll(/([0-9.]+)rem/g)].some(([, rem]) => !Number.isInteger(Number(rem) * 8)))
  assert.deepEqual(others, [])
})
