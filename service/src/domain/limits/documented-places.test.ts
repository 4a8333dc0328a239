import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { defaultConfig } from '../../testing/default-config.fixture.ts'

import { peerSettings } from './peers.ts'

test('docs/operating/limits.md names the places of each kind of outside system, and how many are left for all other calls', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/operating/limits.md'), 'utf8')
  const documented = [...page.matchAll(/^\| [^|]+ \| (\d+) \(`\w+InFlightPercent`\)/gm)].map(([, places]) => Number(places))
  const { networkPlaces, smsPlaces, holderPlaces, endpointPlaces } = peerSettings(defaultConfig)
  assert.deepEqual(documented, [networkPlaces, smsPlaces, holderPlaces, endpointPlaces])
  const left = documented.reduce((free, places) => free - places, defaultConfig.inFlightMax)
  assert.ok(page.includes(`always have the other ${left}.`), String(left))
})
