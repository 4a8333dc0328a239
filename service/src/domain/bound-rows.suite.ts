import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'

import type { TableField } from '../store/table.ts'
import type { WithStore } from '../store/suite/opened.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { boundRows, changedValue, literal, lookupColumns, type BoundRowDependencies } from './bound-rows.fixture.ts'
import { startReceiver } from './webhooks/receiver.fixture.ts'

interface BoundTable {
  readonly name: string
  readonly fields: readonly TableField[]
}

/** Every table with a MAC, from the column maps: a new one is tried here without a change of this file. */
const tables = await tablesWithMac()

/** Somebody writes the database behind the running service: what a MAC covers is refused, and the alarm is raised. */
export function boundRowsSuite(withStore: WithStore, dialect: 'sqlite' | 'postgres'): void {
  test('every table with a MAC is tried here', () => {
    assert.deepEqual(
      tables.map(({ name }) => name),
      Object.keys(boundRows).sort(),
    )
  })

  for (const { name, fields } of tables) {
    test(
      `a row of ${name} of which any covered column was changed is refused with an alarm, and accepted as it was written`,
      behind(withStore, dialect, async (deps) => {
        const { app, raw } = deps
        const arrange = boundRows[name] ?? assert.fail(`${name} is not tried`)
        const untouched = await arrange(deps)
        assert.equal(await untouched.use(), true, 'the control')
        assert.deepEqual(app.alarms, [])

        const covered = fields.filter(({ isCovered, isKey }) => isCovered && !isKey)
        for (const field of [...covered, { name: 'mac', type: 'bytea' }]) {
          const row = await arrange(deps)
          const [stored] = await raw(`select ${field.name} as value from ${name} where ${row.where}`)
          assert.ok(stored !== undefined, `${name} has no row`)
          await raw(
            `update ${name} set ${field.name} = ${changedValue(dialect, field.type, stored['value'])} where ${row.where} returning 1 as one`,
          )
          app.alarms.length = 0
          const used = await row.use().catch(() => false)
          assert.equal(used, false, `${name}.${field.name} was used`)
          if (lookupColumns[name]?.includes(field.name) !== true) assert.ok(hasAlarm(app.alarms), `${name}.${field.name} raised no alarm`)
          await raw(`update ${name} set ${field.name} = ${literal(dialect, stored['value'])} where ${row.where} returning 1 as one`)
        }
      }),
    )

    test(
      `a row of ${name} without a MAC, as an older version wrote it, is refused with an alarm`,
      behind(withStore, dialect, async (deps) => {
        const row = await (boundRows[name] ?? assert.fail(`${name} is not tried`))(deps)
        await deps.raw(`update ${name} set mac = substr(mac, 1, 0) where ${row.where} returning 1 as one`)
        assert.equal(await row.use().catch(() => false), false)
        assert.ok(hasAlarm(deps.app.alarms))
      }),
    )
  }
}

/** Runs a test on a running service with access to its database and a merchant's server on this machine. */
export function behind(
  withStore: WithStore,
  dialect: 'sqlite' | 'postgres',
  run: (deps: BoundRowDependencies) => Promise<void>,
  overrides: Omit<NonNullable<Parameters<typeof createTestApp>[1]>, 'store'> = {},
): () => Promise<void> {
  return withStore(async ({ store, raw }) => {
    const app = await createTestApp({ after }, { ...overrides, store })
    const receiver = await startReceiver()
    try {
      await run({ app, receiver, raw, dialect })
    } finally {
      await app.webhooks.stop()
      await receiver.close()
      await app.close()
    }
  })
}

/** A value that no column has is found when the row is read: an error that names the column. */
export function hasAlarm(alarms: readonly string[]): boolean {
  return alarms.some((alarm) => alarm.startsWith('row_tampered'))
}

async function tablesWithMac(): Promise<BoundTable[]> {
  const folder = new URL('../store/', import.meta.url)
  const files = readdirSync(folder).filter((file) => /^[a-z-]+\.ts$/.test(file))
  const modules = await Promise.all(files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>))
  const found = modules.flatMap((exported) => Object.values(exported)).filter(isBoundTable)
  return [...new Set(found)].sort((one, other) => (one.name < other.name ? -1 : 1))
}

function isBoundTable(value: unknown): value is BoundTable {
  return typeof value === 'object' && value !== null && 'macFields' in value && 'fields' in value && value.macFields !== null
}
