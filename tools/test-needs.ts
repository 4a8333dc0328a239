import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** What a test file may need besides Node and the packages. `build` is the built card form and dashboard. */
export const testNeeds = [
  'build',
  'postgres',
  'chromium',
  'firefox',
  'webkit',
  'openssl',
  'strace',
  'faketime',
  'softhsm',
  'nginx',
  'caddy',
  'haproxy',
  'kannel',
  'prometheus',
  'systemd',
  'containers',
  'yaml',
  'age',
  'pgbackrest',
  'patroni',
  'pgbouncer',
] as const
export type TestNeed = (typeof testNeeds)[number]

/** A test that imports one of these files, directly or not, needs what stands beside it. */
// prettier-ignore
export const needsByImport: Readonly<Record<string, readonly TestNeed[]>> = {
  'tools/postgres.ts':                              ['postgres'],
  'tools/chromium.ts':                              ['chromium'],
  'tools/open-chromium.ts': ['chromium'],
  'tools/other-browsers.ts':                        ['firefox', 'webkit'],
  'tools/start-tessera.ts':                         ['build'],
  'tools/service-child.ts':                         ['build'],
  'fault/spawn.ts':                                 ['build'],
  'examples/shop/running-shop.fixture.ts':               ['build'],
  'service/src/testing/child.fixture.ts':           ['build'],
  'service/src/store/postgres/with-store.fixture.ts': ['postgres'],
}

/** The text of a file by its path from the root; null when there is none. */
export type ReadSource = (path: string) => string | null

/**
 * What the files need together: seen from what they import, or written in their first lines (`// needs: openssl`). A file that reads
 * TESSERA_TEST_POSTGRES_URL needs PostgreSQL.
 */
export function readTestNeeds(root: string, paths: readonly string[]): TestNeed[] {
  return walkTests(paths, (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null)).needs
}

/** The same, with every file that these import, directly or not. */
export function walkTests(paths: readonly string[], read: ReadSource): { needs: TestNeed[]; visited: ReadonlySet<string> } {
  const needs = new Set<string>()
  const visited = new Set<string>()
  const visit = (path: string): void => {
    const text = visited.has(path) ? null : read(path)
    if (text === null) return
    visited.add(path)
    for (const need of [...readHeader(text), ...(postgresUrl.test(text) ? ['postgres'] : [])]) needs.add(need)
    for (const target of listImportedFiles(path, text)) {
      for (const need of needsByImport[target] ?? []) needs.add(need)
      // The tools know every browser; a file that imports a tool needs only what the table says.
      if (!target.startsWith('tools/')) visit(target)
    }
  }
  for (const path of paths) visit(path)
  return { needs: testNeeds.filter((need) => needs.has(need)), visited }
}

const postgresUrl = /\bprocess\.env(?:\.|\[')TESSERA_TEST_POSTGRES_URL\b/

function readHeader(text: string): string[] {
  const [, names = ''] = /^\/\/ needs: (.+)$/m.exec(text.slice(0, 500)) ?? []
  return names.split(',').map((name) => name.trim())
}

/** Read by pattern, not by the compiler: loading that would take longer than most tests. Types are imported at no cost. */
function listImportedFiles(path: string, text: string): string[] {
  const imports = text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";]*?from\s+)?'(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/gm)
  return [...imports].map(([, fixed, dynamic]) => posix.join(posix.dirname(path), fixed ?? dynamic ?? ''))
}
