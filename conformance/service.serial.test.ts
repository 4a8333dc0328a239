// time limit: 240 s
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { it } from 'node:test'
import { promisify } from 'node:util'

import { findFreePort } from '../tools/free-port.ts'
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

interface Report {
  readonly passed: number
  readonly cases: readonly { group: string; title: string; state: string; messages: readonly string[] }[]
}

/** Runs the runner as anybody would, against a service that is stopped afterwards. */
async function expectConformance(tessera: Awaited<ReturnType<typeof startTessera>>, options: readonly string[]): Promise<void> {
  try {
    const { url, merchantId, password } = tessera
    const other = await tessera.makeMerchant('Another shop')
    const refusing = await tessera.makeMerchant('A shop that refuses')
    const port = await findFreePort()
    await setEndpoint(tessera.folder, refusing.merchantId, port)
    const place = ['--url', url, '--merchant', merchantId, '--other-merchant', other.merchantId]
    const endpoint = ['--refusing-merchant', refusing.merchantId, '--endpoint-port', String(port)]
    const passwords = { password, otherPassword: other.password, refusingPassword: refusing.password }
    // Response times are checked only on a service that runs alone on its machine.
    const report = await runVectors([...place, ...endpoint, '--json', '--slowness=5', ...options], passwords)
    const failed = report.cases.filter(({ state }) => state === 'failed')
    assert.deepEqual(
      failed.map(({ group, title, messages }) => `${group}: ${title}: ${messages.join('; ')}`),
      [],
    )
    const skipped = report.cases.filter(({ state, messages: why }) => state === 'skipped' && why.some((each) => each.includes('needs')))
    assert.deepEqual(skipped, [], 'what needs another merchant, or an endpoint, was tried')
    assert.ok(report.passed > 900, `only ${report.passed} were tried`)
  } finally {
    await tessera.stop()
  }
}

async function setEndpoint(folder: string, merchantId: string, port: number): Promise<void> {
  const file = join(folder, 'endpoint-password')
  writeFileSync(file, 'refuse-everything\n')
  const words = [
    'merchants',
    'endpoint',
    'set',
    merchantId,
    `--url=http://127.0.0.1:${port}/`,
    `--password-file=${file}`,
    `--data=${folder}`,
  ]
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../service/bin/tessera.mjs', import.meta.url)), ...words])
}

interface Passwords {
  readonly password: string
  readonly otherPassword: string
  readonly refusingPassword: string
}

function runVectors(args: readonly string[], { password, otherPassword, refusingPassword }: Passwords): Promise<Report> {
  const command = [fileURLToPath(new URL('run.ts', import.meta.url)), ...args]
  const options = {
    env: {
      ...process.env,
      MERCHANT_PASSWORD: password,
      OTHER_MERCHANT_PASSWORD: otherPassword,
      REFUSING_MERCHANT_PASSWORD: refusingPassword,
    },
    maxBuffer: 64 * 1024 * 1024,
  }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, options, (err, out, said) => {
      // It ends with 1 when something differs; then it still tells what.
      if (out === '') reject(err ?? new Error(said))
      else resolve(JSON.parse(out) as Report)
    })
  })
}
