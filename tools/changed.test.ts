import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { listChanged } from './changed.ts'

function git(root: string, ...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.uz', ...args], { cwd: root, stdio: 'pipe' })
}

test('own commits, edits and new files differ from origin; ignored and deleted files do not', () => {
  const above = mkdtempSync(join(tmpdir(), 'changed-'))
  const origin = join(above, 'origin')
  mkdirSync(origin)
  git(origin, 'init', '--initial-branch', 'main')
  for (const name of ['unchanged.ts', 'edited.ts', 'gone.ts', 'committed.ts']) writeFileSync(join(origin, name), '1\n')
  writeFileSync(join(origin, '.gitignore'), 'ignored.ts\n')
  git(origin, 'add', '.')
  git(origin, 'commit', '-m', 'one')
  assert.deepEqual(listChanged(origin), [], 'of the last commit, where there is no other')

  const clone = join(above, 'clone')
  git(above, 'clone', '--quiet', origin, clone)
  assert.deepEqual(listChanged(clone), [])
  writeFileSync(join(clone, 'committed.ts'), '2\n')
  git(clone, 'commit', '--all', '-m', 'two')
  writeFileSync(join(clone, 'edited.ts'), '2\n')
  writeFileSync(join(clone, 'new one.ts'), '2\n')
  writeFileSync(join(clone, 'ignored.ts'), '2\n')
  rmSync(join(clone, 'gone.ts'))
  assert.deepEqual(listChanged(clone), ['committed.ts', 'edited.ts', 'new one.ts'])
  rmSync(above, { recursive: true })
})

test('a copy without its history has nothing to compare with', () => {
  const bare = mkdtempSync(join(tmpdir(), 'changed-'))
  assert.equal(listChanged(bare), null)
  rmSync(bare, { recursive: true })
})
