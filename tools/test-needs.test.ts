import assert from 'node:assert/strict'
import { test } from 'node:test'
import { walkTests } from './test-needs.ts'

function readNeeds(texts: Readonly<Record<string, string>>, path = 'service/src/a.test.ts'): string[] {
  return walkTests([path], (file) => texts[file] ?? null).needs
}

test('a test that imports nothing of the kind needs nothing', () => {
  assert.deepEqual(
    readNeeds({ 'service/src/a.test.ts': "import { test } from 'node:test'\nimport { f } from './a.ts'", 'service/src/a.ts': '' }),
    [],
  )
})

test('what a test needs is seen through every file that it imports, whatever the spelling', () => {
  const imports = [
    "import '../../tools/postgres.ts'",
    "export { f } from '../../tools/postgres.ts'",
    "await import('../../tools/postgres.ts')",
  ]
  for (const text of imports) {
    assert.deepEqual(
      readNeeds({ 'service/src/a.test.ts': "import {\n  f,\n} from './a.fixture.ts'", 'service/src/a.fixture.ts': text }),
      ['postgres'],
      text,
    )
  }
  assert.deepEqual(readNeeds({ 'service/src/a.test.ts': "import type { Cluster } from '../../tools/postgres.ts'" }), [])
})

test('a tool that knows every browser requires none of them', () => {
  const texts = {
    'service/src/a.test.ts': "import { f } from '../../tools/machine.ts'",
    'tools/machine.ts': "import { g } from './chromium.ts'",
  }
  assert.deepEqual(readNeeds(texts), [])
})

test('a needs line at the head counts, and so does reading the address of the database', () => {
  assert.deepEqual(readNeeds({ 'service/src/a.test.ts': '// needs: strace, openssl\n' }), ['openssl', 'strace'])
  assert.deepEqual(readNeeds({ 'service/src/a.test.ts': "const url = process.env['TESSERA_TEST_POSTGRES_URL']" }), ['postgres'])
})
