import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { findPeerTests, findTests, mayRunAgain, needsDisk, needsOwnProcess, readTimeLimit } from './find-tests.ts'

const root = mkdtempSync(join(tmpdir(), 'find-tests-'))
after(() => rmSync(root, { recursive: true, force: true }))
execFileSync('git', ['init', '-q', root])
const limited = "// time limit: 600 s\n// on disk: it waits for fsync\n// runs once: it crashes services\nimport 'x'\n"
const files = {
  '.gitignore': 'node_modules/\n',
  'a/one.test.ts': '',
  'a/two.serial.test.ts': limited,
  'a/five.serial.test.ts': '// runs alone: it counts memory\n',
  'b/three.test.ts': '// time limit: 9999 s\n',
  'b/six.peer.test.ts': '',
}
for (const [path, text] of Object.entries({ ...files, 'node_modules/x/four.test.ts': '', 'a/one.ts': '' })) {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('all test files but those of packages are found, in groups: light, heavy, alone', () => {
  assert.deepEqual(findTests(root, []), {
    unit: ['a/one.test.ts', 'b/three.test.ts'],
    serial: ['a/two.serial.test.ts'],
    alone: ['a/five.serial.test.ts'],
  })
})

test('tests with other systems are found separately', () => {
  assert.deepEqual(findPeerTests(root, []), { unit: [], serial: [], alone: ['b/six.peer.test.ts'] })
  assert.deepEqual(findPeerTests(root, ['six']).alone, ['b/six.peer.test.ts'])
  assert.deepEqual(findPeerTests(root, ['one']).alone, [])
})

test('a copy without its history has the same test files', () => {
  const found = findTests(root, [])
  renameSync(join(root, '.git'), join(root, 'git-gone'))
  assert.deepEqual(findTests(root, []), found)
  renameSync(join(root, 'git-gone'), join(root, '.git'))
})

test('a path, a part of one and a glob each select files', () => {
  for (const pattern of ['a/one.test.ts', 'one', 'a/*.test.ts', './a/one']) {
    assert.deepEqual(findTests(root, [pattern]).unit, ['a/one.test.ts'], pattern)
  }
  assert.deepEqual(findTests(root, ['nothing']), { unit: [], serial: [], alone: [] })
})

test('a file may ask for more time, up to 15 minutes', () => {
  assert.deepEqual(
    ['a/one.test.ts', 'a/two.serial.test.ts', 'b/three.test.ts'].map((path) => readTimeLimit(root, path, 120)),
    [120, 600, 900],
  )
})

test('a file may ask for a disk, and not to be run again, with a reason', () => {
  const read = (path: string): boolean[] => [needsDisk(root, path), mayRunAgain(root, path)]
  assert.deepEqual(read('a/two.serial.test.ts'), [true, false])
  assert.deepEqual(read('a/five.serial.test.ts'), [false, true])
})

test('a light file that takes long, or says why, has a process of its own', () => {
  writeFileSync(join(root, 'a/seven.test.ts'), '// own process: it sets a variable of the environment\n')
  assert.deepEqual(
    ['a/one.test.ts', 'b/three.test.ts', 'a/seven.test.ts'].map((path) => needsOwnProcess(root, path)),
    [false, true, true],
  )
})
