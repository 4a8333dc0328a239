import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FolderLocked, lockFolder } from './lock.ts'
import { withFolder } from './with-store.fixture.ts'

test('a folder is locked once, and again after its release', () =>
  withFolder(async (folder) => {
    const lock = lockFolder(folder)
    assert.throws(() => lockFolder(folder), FolderLocked)
    lock.release()
    lock.release()
    lockFolder(folder).release()
  }))

test('another process gets the pid of the holder, also after the holder tried again, and a killed holder leaves no lock', () =>
  withFolder(async (folder) => {
    for (let round = 0; round < 3; round++) {
      const holder = spawn(process.execPath, ['--input-type=module', '--eval', HOLDER, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
      await once(holder.stdout, 'data')
      assert.throws(() => lockFolder(folder), {
        name: 'Error',
        pid: holder.pid,
        message: `another tessera (pid ${holder.pid}) runs on the folder ${folder}`,
      })
      const gone = once(holder, 'exit')
      holder.kill('SIGKILL')
      await gone
    }
    lockFolder(folder).release()
  }))

test('the folder is accessible to its owner alone', () =>
  withFolder(async (folder) => {
    const made = join(folder, 'a', 'b')
    lockFolder(made).release()
    assert.equal(statSync(made).mode & 0o777, 0o700)
    for (const file of ['tessera.lock', 'tessera.lock.pid']) assert.equal(statSync(join(made, file)).mode & 0o777, 0o600, file)
  }))

test('a lock file that is not ours, a file in place of the folder and a broken pid have clear messages', () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, 'tessera.lock'), 'another file that happens to have this name'.repeat(20))
    assert.throws(() => lockFolder(folder), /tessera\.lock in .* is not a lock of Tessera/)
    writeFileSync(join(folder, 'file'), '')
    assert.throws(() => lockFolder(join(folder, 'file')), /the folder .* cannot be used: it is not a folder/)

    const other = join(folder, 'other')
    const lock = lockFolder(other)
    writeFileSync(join(other, 'tessera.lock.pid'), 'x')
    assert.throws(() => lockFolder(other), /another tessera \(of unknown pid\) runs on the folder/)
    lock.release()
  }))

const HOLDER = `
  const { lockFolder } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)})
  lockFolder(process.argv[1])
  try {
    lockFolder(process.argv[1])
  } catch {}
  process.stdout.write('held')
  process.stdin.resume()`
