// own process: it hides NODE_TEST_CONTEXT from the tests that it runs
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { TestFiles } from './find-tests.ts'
import { maxRetriedFiles } from './retry-failed.ts'
import { runTests } from './run-tests.ts'
import { formatTally, tally, type Tally } from './tally.ts'

const root = mkdtempSync(join(tmpdir(), 'retry-failed-'))
after(() => rmSync(root, { recursive: true, force: true }))
let planted = 0

/** Plants a test file that fails in its first runs, as many as `failures` says. */
function plant(failures: number, head = ''): string {
  const path = `planted-${planted++}.serial.test.mjs`
  const marks = JSON.stringify(join(root, `${path}.runs`))
  const text = `${head}
    import fs from 'node:fs'; import { test } from 'node:test'
    fs.appendFileSync(${marks}, '.')
    const runs = fs.readFileSync(${marks}, 'utf8').length
    test('passes', () => {})
    test('is unlucky', () => { if (runs <= ${failures}) throw new Error('failure ' + runs) })`
  writeFileSync(join(root, path), text)
  return path
}

/** Runs them as `npm test` does. */
async function run(files: Partial<TestFiles>, shouldRetry = true): Promise<Tally & { printed: string; summary: string }> {
  const { NODE_TEST_CONTEXT: ours, ...rest } = process.env
  delete process.env.NODE_TEST_CONTEXT
  let printed = ''
  const say = (text: string): unknown => (printed += text)
  try {
    const all = { unit: [], serial: [], alone: [], ...files }
    const results = await runTests(all, { root, signal: new AbortController().signal, secondsPerFile: 60, env: rest, shouldRetry, say })
    const sum = tally(results, [])
    return { ...sum, printed, summary: formatTally(sum, { seconds: 1 }) }
  } finally {
    if (ours !== undefined) process.env.NODE_TEST_CONTEXT = ours
  }
}

test('a heavy file that fails once is run once more, counts as passed, and is reported as flaky with its first failure', async () => {
  const [unlucky, alone, sound] = [plant(1), plant(1), plant(0)]
  const { passed, failed, printed, summary } = await run({ serial: [unlucky, sound], alone: [alone] })
  assert.deepEqual([passed, failed], [6, 0])
  for (const path of [unlucky, alone]) {
    assert.match(printed, new RegExp(`^FAIL .* ${path}$[^]*^Once more, alone: ${path}$[^]*^ok .* ${path}$`, 'm'))
    assert.ok(summary.includes(`\nflaky: ${path} (first failure: is unlucky: Error: failure 1)\n`), summary)
    assert.match(summary, new RegExp(`✖ ${path} \\(first run\\)\n  is unlucky\n    Error: failure 1`))
  }
  assert.ok(summary.endsWith('\n6 passed, 0 failed'))
})

test('a heavy file that fails twice fails, and both failures are printed', async () => {
  const path = plant(2)
  const { passed, failed, flaky, summary } = await run({ serial: [path] })
  assert.deepEqual([passed, failed, flaky], [1, 1, []])
  assert.match(summary, new RegExp(`✖ ${path} \\(first run\\)\n.*\n    Error: failure 1[^]*✖ ${path}\n.*\n    Error: failure 2`))
})

test('a light file that fails once is run once more, too', async () => {
  const path = plant(1)
  const { failed, flaky, summary } = await run({ unit: [path] })
  assert.deepEqual([failed, flaky.map((each) => each.path)], [0, [path]])
  assert.ok(summary.includes(`\nflaky: ${path} (first failure: is unlucky: Error: failure 1)\n`), summary)
})

test('a file that opts out is never retried, nor any in a search', async () => {
  const cases: [files: Partial<TestFiles>, shouldRetry: boolean][] = [
    [{ unit: [plant(1, '// runs once: it looks for rare failures')] }, true],
    [{ serial: [plant(1, '// runs once: it looks for rare failures')] }, true],
    [{ serial: [plant(1)] }, false],
  ]
  for (const [files, shouldRetry] of cases) {
    const { failed, firstFailures } = await run(files, shouldRetry)
    assert.deepEqual([failed, firstFailures], [1, []])
  }
})

test('no file is run again when more of them failed than can be an accident', async () => {
  const serial = Array.from({ length: maxRetriedFiles + 1 }, () => plant(1))
  const { failed, printed } = await run({ serial })
  assert.equal(failed, maxRetriedFiles + 1)
  assert.match(printed, /7 files failed, more than 6: none is run again\./)
})
