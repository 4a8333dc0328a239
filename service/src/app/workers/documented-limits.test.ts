import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import type { Keyring } from '@tessera/vault/keyring'

import { noCountSharing, type CountSharing } from '../../domain/limits/count-sharing.ts'
import { settings, type Config } from '../../ops/config/config.ts'
import { defaultConfig } from '../../testing/default-config.fixture.ts'

import { createLimits } from '../limits.ts'
import { shareOf } from './worker-share.ts'

interface DocumentedLimit {
  readonly settings: readonly string[]
  readonly scope: string
}

const page = readFileSync(join(import.meta.dirname, '../../../../docs/operating/workers.md'), 'utf8')
const documented = readTable()

/** The rows of the table below `## Limits of several workers`. */
function readTable(): DocumentedLimit[] {
  const [, section = ''] = page.split('## Limits of several workers\n')
  const rows = [...(section.split('\n#', 1)[0] ?? '').matchAll(/^\| ([^|]+) \| ([^|]*) \| ([^|]+) \|$/gm)].slice(1)
  return rows
    .filter(([row]) => !row.startsWith('|---'))
    .map(([, , names = '', scope = '']) => ({ settings: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name), scope }))
}

function settingsWhose(isMeant: (scope: string) => boolean): string[] {
  return documented.flatMap((row) => (isMeant(row.scope) ? row.settings : [])).sort()
}

test('the table of limits of several workers has every setting that is a maximum, once', () => {
  const maxima = settings.map(({ name }) => name).filter((name) => /(Max|InFlightPercent|Writers)$/.test(name) && !aboutTime.has(name))
  const named = settingsWhose(() => true)
  assert.ok(maxima.length > 30)
  assert.deepEqual(
    maxima.filter((name) => named.filter((each) => each === name).length !== 1),
    [],
  )
})

test('each row says whether a limit is one for all workers, divided among them, or why it is of each', () => {
  assert.ok(documented.length > 10)
  const unclear = documented.filter(({ scope }) => !/^(across all workers|divided|in each worker, because)/.test(scope))
  assert.deepEqual(unclear, [])
})

test('the table calls divided what each worker has a part of', () => {
  const share = shareOf(defaultConfig, 2)
  const divided = (Object.keys(defaultConfig) as (keyof Config)[]).filter((name) => share[name] !== defaultConfig[name])
  // Percentages of `inFlightMax`.
  const ofThem = settings.map(({ name }) => name).filter((name) => name.endsWith('InFlightPercent'))
  assert.deepEqual(
    settingsWhose((scope) => scope.startsWith('divided')),
    [...divided, ...ofThem].sort(),
  )
})

test('the table names each kind of counts that workers share', () => {
  const shared = new Set<string>()
  const note = <T>(name: string, counts: T): T => {
    shared.add(name)
    return counts
  }
  const sharing: CountSharing = { ...noCountSharing, sliding: note, distinct: note, ratio: note, sum: note }
  const now = (): number => 0
  const keyring = {} as Keyring
  const onReached = (): void => undefined
  createLimits(
    { ...defaultConfig, limits: true },
    { isOnByDefault: true, canSimulate: false, keyring, now, simulatedNow: now, onReached, sharing },
  )
  const named = documented.flatMap(({ scope }) => [...scope.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  assert.deepEqual(named.sort(), [...shared].sort())
})

/** Maxima of a clock or an age, which no calls use up. */
const aboutTime = new Set(['clockJumpSecondsMax', 'clockBehindSecondsMax', 'kekAgeDaysMax'])
