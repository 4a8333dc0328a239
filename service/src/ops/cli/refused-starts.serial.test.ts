// needs: build
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeAuthority } from '../../adapters/http/certificate.fixture.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { requireStartChecks } from '../../app/start-checks.ts'
import { makeStartSubject } from '../../app/start-subject.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { makeScratch } from '../../testing/child.fixture.ts'
import { readConfig } from '../config/config.ts'
import { InvalidSettingsError } from '../config/sources.ts'
import { ExitError } from '../exits.ts'
import { silentLog } from '../logging/log.ts'

import { explainStart } from './explain-start.ts'
import { refusedStarts, rightSettings, startFiles } from './refused-starts.fixture.ts'

const folder = makeScratch()
const authority = makeAuthority('an authority')
const own = authority.certify('pay.example', 30, { others: ['merchants.example'] })
const expired = authority.certify('pay.example', -1, { others: ['merchants.example'] })
const texts: Record<(typeof startFiles)[number], string> = {
  'cert.pem': own.cert,
  'key.pem': own.key,
  'open-key.pem': own.key,
  'other-key.pem': authority.certify('pay.example').key,
  'expired.pem': expired.cert,
  'expired-key.pem': expired.key,
  secret: 'secret\n',
  'open-secret': 'secret\n',
  'database-url': 'postgres://cards@127.0.0.1:1/cards\n',
}
for (const name of startFiles) {
  writeFileSync(join(folder, name), texts[name])
  chmodSync(join(folder, name), name.startsWith('open') ? 0o644 : 0o600)
}
for (const name of ['data', 'data-of-test', 'data-with-key', 'data-open'])
  mkdirSync(join(folder, name), { mode: name === 'data-open' ? 0o755 : 0o700 })
writeFileSync(join(folder, 'data-of-test', 'environment'), 'test\n')
writeFileSync(join(folder, 'data-with-key', 'development.kek'), '')

test('a production start with the right settings passes every check that looks at settings, files and ports', async () => {
  assert.deepEqual(await reasonsOf({}), [])
})

test('a database that does not respond is no wrong setting, since a start waits for it', async () => {
  const urlOf = (name: string): string => `postgres://${name}@127.0.0.1:1/${name}?sslmode=verify-full`
  assert.deepEqual(await reasonsOf({ TESSERA_DATABASE_URL: urlOf('cards'), TESSERA_KEYS_DATABASE_URL: urlOf('keys') }), [])
})

for (const { area, wrong, settings, reason } of refusedStarts)
  test(`${area}: ${wrong} is refused, for that reason alone`, async () => {
    // A database that is not there is said beside other reasons.
    const reasons = (await reasonsOf(settings)).filter((each) => !each.startsWith('unknown: the database could not be inspected'))
    assert.equal(reasons.length, 1, reasons.join('\n'))
    assert.match(reasons[0] ?? '', patternOf(reason))
  })

/** The reasons of a refusal: of the settings, then of the checks of a start until the database is opened. */
async function reasonsOf(changes: Readonly<Record<string, string | null>>): Promise<string[]> {
  const entries = Object.entries({ ...rightSettings, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null)
  const environment = Object.fromEntries(entries.map(([name, value]) => [name, value.replaceAll('<folder>', folder)]))
  let config
  try {
    config = readConfig([], environment).config
  } catch (err) {
    if (err instanceof InvalidSettingsError) return [...err.faults]
    throw err
  }
  const never = new AbortController().signal
  const deps = { clock: makeSystemClock(), log: silentLog, claim: async () => '', isServing: () => false, stopping: never }
  const subject = makeStartSubject(config, { ...deps, adapters: chooseAdapters(config), retry: (step) => step() })
  try {
    await requireStartChecks(subject, 'folder')
    await requireStartChecks(subject, 'machine')
    return []
  } catch (err) {
    const explained = explainStart(err, config, never)
    assert.ok(explained instanceof ExitError, String(explained))
    const [first = '', ...more] = explained.what.split('\n')
    return first.endsWith('start is refused:') ? more : [explained.message]
  } finally {
    await subject.close()
  }
}

function patternOf(reason: string): RegExp {
  const parts = reason.replaceAll('<folder>', folder).split('…')
  return new RegExp(`^${parts.map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join('[^]*')}$`)
}
