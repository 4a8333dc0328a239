import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { explainFileError, isAboutOtherPath } from './file-error.ts'

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (err) {
    return err
  }
  return assert.fail('nothing was thrown')
}

test('an error about a file says which one, and why it cannot be used', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-file-error-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const cases = [
    [() => readdirSync(file), `${file} cannot be used (ENOTDIR): a part of the path is a file and no folder.`],
    [() => mkdirSync(file), `${file} cannot be used (EEXIST): it exists already, and nothing is overwritten.`],
    [() => readFileSync(`${file}2`), `${file}2 cannot be used (ENOENT): it, or the folder that it is in, is not there.`],
  ] as const
  for (const [run, message] of cases) {
    const explained = explainFileError(errorOf(run))
    assert.deepEqual([explained?.exit, explained?.message], ['cannotCreate', message])
  }
  assert.equal(explainFileError(errorOf(() => readFileSync(folder)))?.message, 'a folder was given where a file is read.')
})

test('a disk without room is an output that is not complete', () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: '/x/y', syscall: 'open' })
  assert.equal(explainFileError(full)?.exit, 'ioError')
})

test('an error about a socket, a program or nothing of the file system is left as it is', () => {
  assert.equal(explainFileError(Object.assign(new Error('spawn'), { code: 'ENOENT', path: 'prlimit', syscall: 'spawn prlimit' })), null)
  assert.equal(explainFileError(Object.assign(new Error('connect'), { code: 'EACCES', path: '/run/pg', syscall: 'connect' })), null)
  assert.equal(explainFileError(new TypeError('a fault of the program')), null)
  assert.equal(explainFileError('text'), null)
})

test('a path outside of the data folder is found to be one, also when its name begins alike', () => {
  const about = (path: string): boolean => isAboutOtherPath(Object.assign(new Error('EACCES'), { path }), '/var/lib/tessera')
  assert.deepEqual(['/var/lib/tessera', '/var/lib/tessera/keys.db', '/var/lib/tessera2', '/backup'].map(about), [false, false, true, true])
  assert.equal(isAboutOtherPath(new Error('without a path'), '/var/lib/tessera'), false)
})
