import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeValueFile } from './value-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tessera-value-file-'))
after(() => rmSync(scratch, { recursive: true }))

test('a reader during several saves at once finds a whole value, and nothing else is left in the folder', async () => {
  const folder = mkdtempSync(join(scratch, 'saves-'))
  const writers = [1, 2, 3, 4].map((digit) => ({ file: makeValueFile(folder, 'value'), value: Buffer.alloc(20, String(digit)) }))
  const [reader] = writers
  assert.ok(reader)
  await reader.file.save(reader.value)
  const state = { isSaving: true }
  const saves = Promise.all(
    writers.map(async ({ file, value }) => {
      for (let round = 0; round < 40; round++) await file.save(value)
    }),
  ).finally(() => (state.isSaving = false))
  const found = new Set<string>()
  do found.add(Buffer.from((await reader.file.read()) ?? []).toString())
  while (state.isSaving)
  await saves
  assert.deepEqual(
    [...found].filter((text) => !/^([1-4])\1{19}$/.test(text)),
    [],
  )
  assert.deepEqual(readdirSync(folder), ['value'])
})

test('a save that fails leaves no temporary file', async () => {
  const folder = mkdtempSync(join(scratch, 'fails-'))
  mkdirSync(join(folder, 'value'))
  await assert.rejects(makeValueFile(folder, 'value').save(Buffer.from('a')))
  assert.deepEqual(readdirSync(folder), ['value'])
})
