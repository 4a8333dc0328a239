import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countLaterMigrations, MigrationRefused, planMigrations, readMigrations, logMigrations } from './migrations.ts'
import type { Migration } from './migrations.ts'

const known: Migration[] = [1, 2, 3].map((number) => ({ number, name: `m${number}`, text: '', checksum: `sum ${number}`, breaking: false }))

test('both dialects have the same migrations, numbered from 1', () => {
  for (const folder of ['cards', 'keys'] as const) {
    const [sqlite, postgres] = [readMigrations('sqlite', folder), readMigrations('postgres', folder)]
    assert.deepEqual(
      sqlite.map(({ number, name, breaking }) => ({ number, name, breaking })),
      postgres.map(({ number, name, breaking }) => ({ number, name, breaking })),
    )
    assert.equal(sqlite[0]?.number, 1)
    assert.match(sqlite[0].checksum, /^[0-9a-f]{64}$/)
  }
})

test('the pending migrations are those after the applied ones', () => {
  assert.deepEqual(planMigrations(known, []), known)
  assert.deepEqual(planMigrations(known, known.slice(0, 2).reverse()), known.slice(2))
  assert.deepEqual(planMigrations(known, known), [])
})

test('a new database is logged in one line, and an existing one with a line for each migration', () => {
  const logged: unknown[] = []
  for (const applied of [known, known.slice(1), []]) logMigrations(applied, (event, fields) => logged.push([event, fields]))
  const [, second, third] = known.map(({ number, name, breaking }) => ['store_migrated', { number, name, breaking }])
  assert.deepEqual(logged, [['store_created', { number: 3 }], second, third])
})

test('a newer database is accepted when its later migrations only add to the schema, and refused from the first that does not', () => {
  const later = [4, 5].map((number) => ({ number, name: `later-${String(number)}`, checksum: 'x', isCompatible: true }))
  assert.deepEqual(planMigrations(known, [...known, ...later]), [])
  assert.equal(countLaterMigrations(known, [...known, ...later]), 2)
  const breaking = [...known, ...later, { number: 6, name: 'breaking', checksum: 'x', isCompatible: false }]
  assert.throws(() => planMigrations(known, breaking), /newer than this program: it has migration 6 \(breaking\)/)
  // A gap is never accepted: the database of this program lacks what it needs.
  assert.throws(() => planMigrations(known, [...known.slice(0, 2), ...later]), /lacks migration 3/)
})

test('a database that is newer, has gaps or was created by another text is refused', () => {
  const refusals: [Parameters<typeof planMigrations>[1], RegExp][] = [
    [
      [...known, { number: 4, name: 'later', checksum: 'x' }],
      /newer than this program: it has migration 4 \(later\), and this program knows 3/,
    ],
    [known.slice(1), /lacks migration 1 \(m1\)/],
    [[{ ...known[0]!, checksum: 'other' }], /migration 1 \(m1\) was applied with another text/],
  ]
  for (const [applied, message] of refusals) {
    assert.throws(
      () => planMigrations(known, applied),
      (err) => err instanceof MigrationRefused && message.test(err.message),
    )
  }
})
