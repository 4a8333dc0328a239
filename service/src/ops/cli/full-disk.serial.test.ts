import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'

import { makeScratch, startTesseraChild } from '../../testing/child.fixture.ts'
import type { Answered, Started } from '../../testing/child.fixture.ts'

const success = { number: '8600495473316478', expire: '0399' }

function create(service: Started): Promise<Answered> {
  return service.call('cards.create', { card: success, save: true })
}

async function createUntilFull(service: Started): Promise<{ made: string[]; refused: Answered }> {
  const made: string[] = []
  for (let round = 0; round < 1000; round++) {
    const answers = await Promise.all(Array.from({ length: 32 }, () => create(service)))
    made.push(...answers.flatMap(({ reply }) => reply.result?.card.token ?? []))
    const refused = answers.find(({ reply }) => reply.error !== undefined)
    if (refused !== undefined) return { made, refused }
  }
  return assert.fail('it never became full')
}

function assertFull({ status, headers, reply }: Answered): void {
  assert.deepEqual([status, reply.error?.code, reply.error?.reason], [503, -32400, 'store_full'])
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/)
}

async function assertReadable(service: Started, token: string | undefined): Promise<void> {
  const { reply } = await service.call('cards.check', { token }, true)
  assert.equal(reply.result?.card.token, token)
}

test('a full embedded database refuses writes, still reads, loses nothing that it acknowledged, and accepts writes again after its maximum is raised', async () => {
  const folder = join(makeScratch(), 'data')
  const small = await startTesseraChild(folder, ['--store-megabytes-max=1', '--log-level=warn'])
  const { made, refused } = await createUntilFull(small)
  assertFull(refused)
  await assertReadable(small, made.at(-1))
  // A counter may still fit into a page that exists, so either no write succeeds or some do.
  const { state } = (await (await fetch(`${small.facts.adminUrl}/readyz`)).json()) as { state: string }
  assert.ok(['store_not_writable', 'degraded'].includes(state), state)
  assert.equal((await small.stop()).code, 0)
  const roomy = await startTesseraChild(folder)
  for (let i = 0; i < made.length; i += 64) await Promise.all(made.slice(i, i + 64).map((token) => assertReadable(roomy, token)))
  assert.equal((await create(roomy)).status, 200)
  assert.equal((await roomy.stop()).code, 0)
})

test('on a full disk writes are refused, reads still work, and writes work again when there is room, without a restart', async () => {
  const folder = join(makeScratch(), 'disk')
  mkdirSync(folder)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', folder], { encoding: 'utf8' })
  assert.equal(mounted.status, 0, `this test mounts a small file system, which wants root: ${mounted.stderr}`)
  try {
    chmodSync(folder, 0o700)
    const service = await startTesseraChild(folder, ['--log-level=warn'])
    const before = (await create(service)).reply.result?.card.token
    const ballast = join(folder, 'ballast')
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - 256 * 1024))
    const { refused } = await createUntilFull(service)
    assertFull(refused)
    assertFull(await service.call('cards.get_verify_code', { token: before }))
    await assertReadable(service, before)
    rmSync(ballast)
    const after = await create(service)
    assert.equal(after.status, 200, JSON.stringify(after.reply))
    await assertReadable(service, after.reply.result?.card.token)
    assert.equal((await service.stop()).code, 0)
  } finally {
    spawnSync('umount', ['--lazy', folder])
  }
})

test('a backup onto a full disk is refused by the name of its folder, and leaves nothing that the next attempt stumbles on', async () => {
  const scratch = makeScratch()
  const [data, disk] = [join(scratch, 'data'), join(scratch, 'full')]
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'tmpfs', disk], { encoding: 'utf8' })
  assert.equal(mounted.status, 0, `this test mounts a small file system, which wants root: ${mounted.stderr}`)
  const service = await startTesseraChild(data, ['--log-level=warn'])
  try {
    const recipient = await identityToRecipient(await generateIdentity())
    for (const options of [[], ['--recipient', recipient]]) {
      const refused = await service.ask('backup', join(disk, 'copy'), ...options)
      assert.deepEqual(
        [refused.code, /no room for the copy in .*full\/copy: nothing was backed up/.test(refused.err)],
        [73, true],
        refused.err,
      )
      assert.deepEqual(readdirSync(join(disk, 'copy')), [])
    }
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(statfsSync(disk).bavail * 4096))
    const keys = await service.ask('keys', 'backup', join(disk, 'keys.db'))
    assert.deepEqual([keys.code, /no room for the copy/.test(keys.err)], [73, true], keys.err)
    assert.deepEqual(readdirSync(disk).sort(), ['ballast', 'copy'])
    assert.equal((await service.ask('backup', join(scratch, 'copy'))).code, 0)
  } finally {
    await service.stop()
    spawnSync('umount', ['--lazy', disk])
  }
})
