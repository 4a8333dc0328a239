import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findPostgresFolder, startCluster } from './postgres.ts'

const cluster = await startCluster({ settings: { work_mem: '5MB' } })
after(() => cluster.stop())

function ask(question: string): string {
  const psql = join(findPostgresFolder() ?? '', 'psql')
  const run = spawnSync(psql, ['-XAtq', '-d', cluster.url, '-c', question], { encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  return run.stdout.trim()
}

test('a temporary cluster accepts 200 connections, syncs to disk and uses the given settings', () => {
  const settings = ['max_connections', 'fsync', 'synchronous_commit', 'work_mem', 'server_encoding'].map((name) => ask(`show ${name}`))
  assert.deepEqual(settings, ['200', 'on', 'on', '5MB', 'UTF8'])
})

test('a committed row survives a crash of the temporary cluster', async () => {
  ask('create table stored (word text)')
  ask("insert into stored values ('still here')")
  const before = cluster.pid()
  await cluster.crash()
  await cluster.start()
  assert.notEqual(cluster.pid(), before)
  assert.equal(ask('select word from stored'), 'still here')
})

test('a temporary cluster ends when its owner is killed, and its folder is removed at the next start', async () => {
  const owner = `import { startCluster } from ${JSON.stringify(fileURLToPath(new URL('postgres.ts', import.meta.url)))}
    const cluster = await startCluster(); console.log(cluster.pid() + ' ' + cluster.folder); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', owner], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const [server = '', folder = ''] = line.trim().split(' ')
  assert.ok(existsSync(`/proc/${server}`) && existsSync(folder))
  child.kill('SIGKILL')
  await once(child, 'exit')
  while (isRunning(server)) await pause(20)
  const next = await startCluster()
  assert.ok(!existsSync(folder))
  await next.stop()
  assert.ok(!existsSync(next.folder))
})

function isRunning(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
