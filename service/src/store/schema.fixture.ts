import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'

/** Compares a printed schema with the readable one beside this file; `TESSERA_TEST_PRINT_SCHEMA=1` writes it instead. */
export function compareSchema(file: 'schema.sqlite.sql' | 'schema.postgres.sql', printed: string): void {
  const place = new URL(file, import.meta.url)
  const whole = `-- The whole schema after all migrations, printed by the tests of the store. To print it anew: TESSERA_TEST_PRINT_SCHEMA=1 npm test -- store/\n\n${printed}`
  if (process.env['TESSERA_TEST_PRINT_SCHEMA'] === '1') writeFileSync(place, whole)
  assert.equal(readFileSync(place, 'utf8').replaceAll('\r\n', '\n'), whole)
}
