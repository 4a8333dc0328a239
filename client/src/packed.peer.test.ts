// time limit: 300 s
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tessera-packed-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

test('the client library is packed, installed into an empty project by npm, and used there', () => {
  run('npm', ['run', 'build', '-w', 'client'], root)
  run('npm', ['pack', '-w', 'client', '--pack-destination', folder], root)
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const shop = join(folder, 'shop')
  mkdirSync(shop)
  writeFileSync(join(shop, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, archive)], shop)
  const installed = readdirSync(join(shop, 'node_modules', '@tessera', 'client')).sort()
  assert.deepEqual(installed, ['LICENSE', 'README.md', 'dist', 'package.json'])
  writeFileSync(
    join(shop, 'use.js'),
    `import { Tessera, receiptStates } from '@tessera/client'
    const client = new Tessera({ url: 'http://127.0.0.1:1', merchantId: '65f0c0ffee0000000000cafe', password: 'secret', retriesMax: 0 })
    const { problem } = await client.outcome('cards.check', { token: 'x' })
    console.log(problem.reason, receiptStates.paid)`,
  )
  assert.equal(run('node', ['use.js'], shop), 'no_answer 4\n')
})
