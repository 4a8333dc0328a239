import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSuitable } from './memory-folder.ts'

const mounted = 'tmpfs /dev/shm tmpfs rw,relatime,size=24684096k 0 0\n'
const plenty = 'MemTotal: 24000000 kB\nMemAvailable:   20000000 kB\n'

test('tests write to memory where there is plenty, and to the disk where it is small, full, read-only or runs no programs', () => {
  const [roomy, docker] = [() => 8 * 2 ** 30, () => 64 * 2 ** 20]
  assert.equal(isSuitable(`proc /proc proc rw 0 0\n${mounted}`, plenty, roomy), true)
  assert.equal(isSuitable(mounted, plenty, docker), false)
  assert.equal(isSuitable(mounted, 'MemAvailable: 4000000 kB\n', roomy), false)
  assert.equal(isSuitable(mounted.replace('rw', 'rw,noexec'), plenty, roomy), false)
  assert.equal(isSuitable(mounted.replace('rw', 'ro'), plenty, roomy), false)
  assert.equal(isSuitable('', '', roomy), false)
})
