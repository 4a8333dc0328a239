import { readFileSync, writeFileSync } from 'node:fs'

/** A printed schema as a whole page, and the page beside this file; `TESSERA_TEST_PRINT_SCHEMA=1` writes that first. */
export function readSchema(
  file: 'schema.sqlite.sql' | 'schema.postgres.sql',
  printed: string,
): { readonly page: string; readonly whole: string } {
  const place = new URL(file, import.meta.url)
  const whole = `-- The whole schema after all migrations, printed by the tests of the store. To print it anew: TESSERA_TEST_PRINT_SCHEMA=1 npm test -- store/\n\n${printed}`
  if (process.env['TESSERA_TEST_PRINT_SCHEMA'] === '1') writeFileSync(place, whole)
  return { page: readFileSync(place, 'utf8').replaceAll('\r\n', '\n'), whole }
}
