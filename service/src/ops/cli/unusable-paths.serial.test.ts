import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeScratch, runHere, startTesseraChild } from '../../testing/child.fixture.ts'

test('a folder or file that cannot be written is named, as itself and not as the data folder', async () => {
  const scratch = makeScratch()
  const service = await startTesseraChild(join(scratch, 'data'))
  const file = join(scratch, 'file')
  writeFileSync(file, '')
  const missing = join(scratch, 'missing', 'file')
  const cases = [
    [['backup', join(file, 'x')], 73, `${join(file, 'x')} cannot be created (ENOTDIR)`],
    [['keys', 'backup', missing], 73, `${missing} cannot be used (ENOENT)`],
    [['audit', 'export', missing], 73, `${missing} cannot be used (ENOENT)`],
    [['evidence', '--out', file], 73, `${file} cannot be used (ENOTDIR)`],
    [['evidence', '--verify', scratch, '--key', scratch], 64, 'a folder was given where a file is read.'],
  ] as const
  for (const [args, exit, message] of cases) {
    const { code, err } = await runHere([...args, `--data=${service.folder}`])
    assert.deepEqual([code, err.includes(message), err.split('\n').length], [exit, true, 2], err)
  }
  await service.stop()
})
