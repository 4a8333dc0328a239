import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { startStage } from './form.fixture.ts'
import { digestSources, draw, folder, pictures, readLabel } from './pictures.fixture.ts'

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

// A browser of another version draws a letter a hair otherwise: pictures are made when they are asked for, and otherwise held to what they were made from.
if (process.env['TESSERA_TEST_PRINT_PICTURES'] === '1') {
  test('the pictures of the form are drawn from the form itself', async () => {
    const stage = await startStage()
    mkdirSync(folder, { recursive: true })
    const files: Record<string, string> = {}
    for (const picture of pictures) {
      const bytes = await draw(stage, picture)
      writeFileSync(join(folder, picture.name), bytes)
      files[picture.name] = digestOf(bytes)
    }
    writeFileSync(join(folder, 'made-from.json'), JSON.stringify({ sources: digestSources(), files }, null, 2) + '\n')
    await stage.stop()
  })
}

test('the pictures of the form are of the form as it is, small, and made by no hand', () => {
  const { sources, files } = readLabel()
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
