// time limit: 240 s
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { it } from 'node:test'

import { startTessera } from '../tools/start-tessera.ts'

it('every vector holds against the service on its embedded store', async () => {
  await expectConformance(await startTessera(), ['--slow'])
})

const postgresUrl = process.env.TESSERA_TEST_POSTGRES_URL ?? ''
if (postgresUrl !== '') {
  it('every vector holds against the service on PostgreSQL', async () => {
    await expectConformance(await startTessera({ postgresUrl }), [])
  })
}

interface Told {
  readonly passed: number
  readonly cases: readonly { group: string; title: string; state: string; told: readonly string[] }[]
}

/** Runs the runner as anybody would, against a service that is stopped afterwards. */
async function expectConformance(tessera: Awaited<ReturnType<typeof startTessera>>, options: readonly string[]): Promise<void> {
  try {
    const { url, merchantId, password } = tessera
    const other = await tessera.makeMerchant('Another shop')
    const place = ['--url', url, '--merchant', merchantId, '--other-merchant', other.merchantId]
    const told = await runVectors([...place, '--json', ...options], { password, otherPassword: other.password })
    const failed = told.cases.filter(({ state }) => state === 'failed')
    assert.deepEqual(
      failed.map(({ group, title, told: sentences }) => `${group}: ${title}: ${sentences.join('; ')}`),
      [],
    )
    const skipped = told.cases.filter(({ state, told: why }) => state === 'skipped' && why.some((each) => each.includes('other')))
    assert.deepEqual(skipped, [], 'what needs a second merchant was tried')
    assert.ok(told.passed > 900, `only ${told.passed} were tried`)
  } finally {
    await tessera.stop()
  }
}

function runVectors(args: readonly string[], passwords: { password: string; otherPassword: string }): Promise<Told> {
  const command = [fileURLToPath(new URL('run.ts', import.meta.url)), ...args]
  const options = {
    env: { ...process.env, MERCHANT_PASSWORD: passwords.password, OTHER_MERCHANT_PASSWORD: passwords.otherPassword },
    maxBuffer: 64 * 1024 * 1024,
  }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, options, (err, out, said) => {
      // It ends with 1 when something differs; then it still tells what.
      if (out === '') reject(err ?? new Error(said))
      else resolve(JSON.parse(out) as Told)
    })
  })
}
