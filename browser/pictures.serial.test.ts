import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { startTestBed } from './form.fixture.ts'
import { digestSources, drawPicture, folder, pictures, readPictureSources } from './pictures.fixture.ts'

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

// Another version of a browser renders letters slightly differently. So the pictures are drawn on request, and otherwise the digest of their sources is compared.
if (process.env['TESSERA_TEST_PRINT_PICTURES'] === '1') {
  test('the pictures of the form are drawn from the form', async () => {
    const testBed = await startTestBed()
    mkdirSync(folder, { recursive: true })
    const files: Record<string, string> = {}
    for (const picture of pictures) {
      const bytes = await drawPicture(testBed, picture)
      writeFileSync(join(folder, picture.name), bytes)
      files[picture.name] = digestOf(bytes)
    }
    writeFileSync(join(folder, 'made-from.json'), JSON.stringify({ sources: digestSources(), files }, null, 2) + '\n')
    await testBed.stop()
  })
}

test('the pictures in the docs show the current form, are small and were not edited', () => {
  const { sources, files } = readPictureSources()
  assert.equal(
    sources,
    digestSources(),
    'the form changed since its pictures were made: TESSERA_TEST_PRINT_PICTURES=1 npm test -- browser/pictures',
  )
  assert.deepEqual(
    Object.keys(files),
    pictures.map(({ name }) => name),
  )
  for (const { name } of pictures) {
    const bytes = readFileSync(join(folder, name))
    assert.equal(digestOf(bytes), files[name], name)
    assert.ok(bytes.length < 150_000, `${name} has ${String(bytes.length)} bytes`)
  }
})
