// time limit: 300 s
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'tessera-packed-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, args: readonly string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

test('the package of the card form is packed, installed into an empty folder by npm, and used there', () => {
  run('npm', ['pack', '-w', 'browser', '--pack-destination', folder], root)
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const shop = join(folder, 'shop')
  mkdirSync(shop)
  writeFileSync(join(shop, 'package.json'), JSON.stringify({ name: 'shop', private: true, type: 'module' }))
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, archive)], shop)
  const installed = join(shop, 'node_modules', '@tessera', 'browser')
  assert.deepEqual(readdirSync(join(shop, 'node_modules', '@tessera')), ['browser'])
  assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'package.json'])
  assert.deepEqual(readdirSync(join(installed, 'dist')), ['package'])
  assert.ok(!existsSync(join(shop, 'node_modules', 'react')), 'React is optional')
  const use = `const form = new CardForm({ merchant: '65f0c0ffee0000000000cafe', formOrigin: 'http://127.0.0.1' })
    const fake = new (fakeTessera().CardForm)({ merchant: '65f0c0ffee0000000000cafe' })
    Promise.all([form.submit(), fake.submit()]).then((results) => console.log(results.map(({ status }) => status).join(), typeof fillCard))`
  writeFileSync(
    join(shop, 'use.js'),
    `import { CardForm } from '@tessera/browser'; import { fakeTessera, fillCard } from '@tessera/browser/testing'\n${use}`,
  )
  writeFileSync(
    join(shop, 'use.cjs'),
    `const { CardForm } = require('@tessera/browser'); const { fakeTessera, fillCard } = require('@tessera/browser/testing')\n${use}`,
  )
  for (const file of ['use.js', 'use.cjs']) assert.equal(run('node', [file], shop), 'ignored,ignored function\n')
})
