import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { runTestBatch, runTestFile, type FileResult } from './run-file.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Runs a test file of this text; `note(text)` inside it writes a line that is read back beside the result. */
async function run(text: string, maxSeconds = 20, signal = new AbortController().signal): Promise<FileResult & { notes: string }> {
  const root = mkdtempSync(join(tmpdir(), 'run-file-'))
  folders.push(root)
  const head = `import { test, describe, after } from 'node:test'; import assert from 'node:assert/strict'; import fs from 'node:fs'
    const note = (text) => fs.appendFileSync(${JSON.stringify(join(root, 'notes'))}, text + '\\n');`
  writeFileSync(join(root, 'a.test.mjs'), head + text)
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
  const result = await runTestFile('a.test.mjs', { root, env, maxSeconds, signal, maxLeaveSeconds: 2 })
  return { ...result, notes: existsSync(join(root, 'notes')) ? readFileSync(join(root, 'notes'), 'utf8').trim() : '' }
}

/** Runs test files of these texts in one process. */
async function runTogether(texts: Readonly<Record<string, string>>, maxSeconds = 20): Promise<FileResult[]> {
  const root = mkdtempSync(join(tmpdir(), 'run-file-'))
  folders.push(root)
  const head = `import { test, describe, after, before } from 'node:test'; import assert from 'node:assert/strict';`
  for (const [path, text] of Object.entries(texts)) writeFileSync(join(root, path), head + text)
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
  return runTestBatch(Object.keys(texts), { root, env, maxSeconds, signal: new AbortController().signal, maxLeaveSeconds: 2 })
}

function states(result: FileResult): [string, string][] {
  return result.outcomes.map(({ title, state }) => [title, state])
}

function lastWords({ outcomes }: FileResult): string {
  return outcomes.at(-1)?.detail ?? ''
}

test('every test of a file is reported with its full title and outcome', async () => {
  const result = await run(`
    test('one', () => {})
    describe('suite', () => { test('two', () => { assert.equal(1, 2, 'one is not two') }); test('three', { skip: 'later' }, () => {}) })
    test('four', async (t) => { await t.test('five', () => {}) })
    test('six', { todo: true }, () => {})`)
  assert.deepEqual(states(result), [
    ['one', 'passed'],
    ['suite › two', 'failed'],
    ['suite › three', 'skipped'],
    ['four › five', 'passed'],
    ['four', 'passed'],
    ['six', 'skipped'],
  ])
  assert.match(result.outcomes[1]?.detail ?? '', /one is not two[\s\S]*a\.test\.mjs/)
})

test('the processor time of a file has that of the processes it started, and not the time it waits', async () => {
  const busy = 'for (const end = Date.now() + 400; Date.now() < end; );'
  const text = `import { execFileSync } from 'node:child_process'; import { setTimeout as pause } from 'node:timers/promises'
    test('one', async () => { execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]); await pause(3000) })`
  const { seconds, processorSeconds = 0 } = await run(text)
  assert.ok(seconds > 3.4 && processorSeconds > 0.05 && processorSeconds < seconds - 2, `${processorSeconds} of ${seconds} s`)
})

test('a file that tests nothing, cannot be parsed, or exits with an error fails', async () => {
  assert.match(lastWords(await run('')), /^It ran no test/)
  assert.match(lastWords(await run('this is no JavaScript')), /^It ran no test[\s\S]*SyntaxError/)
  assert.match(lastWords(await run(`test('one', () => {}); process.on('exit', () => { process.exitCode = 3 })`)), /then it ended with 3/)
  assert.match(lastWords(await run(`after(() => { throw new Error('tidying failed') }); test('one', () => {})`)), /tidying failed/)
})

/** A killed process is seen for a moment yet, until the system has taken it away. */
async function isGone(pid: string): Promise<boolean> {
  for (let looks = 0; looks < 100; looks++) {
    if (!existsSync(`/proc/${pid}`) || readStat(pid).includes(') Z ')) return true
    await setTimeout(50)
  }
  return false
}

function readStat(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // Gone between the two looks.
    return ') Z '
  }
}

test('a file that hangs is killed with all its processes', async () => {
  const hanging = `import { spawn } from 'node:child_process'
     test('one', async () => { note(spawn('sleep', ['1000']).pid); await new Promise(() => setInterval(() => {}, 1000)) })`
  for (const seconds of [1, 5, 20]) {
    const result = await run(hanging, seconds)
    assert.match(lastWords(result), new RegExp(`^It did not end in ${seconds} s`))
    // On a busy machine a second is over before the file has started anything.
    if (result.notes === '') continue
    assert.ok(await isGone(result.notes))
    return
  }
  assert.fail('it started nothing in 20 s')
})

for (const [where, detached] of [
  ['running', false],
  ['in a group of its own', true],
] as const) {
  test(`a file that leaves a process ${where} fails, and the process is killed`, async () => {
    const result = await run(`import { spawn } from 'node:child_process'
      test('one', () => {
        const child = spawn('sleep', ['1000'], { stdio: 'ignore', detached: ${String(detached)} }); child.unref(); note(child.pid) })`)
    assert.match(lastWords(result), /^It left processes running: sleep \(\d+\)/)
    assert.ok(await isGone(result.notes))
  })
}

test('a file has a temporary folder of its own, which is removed afterwards', async () => {
  const result = await run(
    `import os from 'node:os'; test('one', () => { fs.writeFileSync(os.tmpdir() + '/left', ''); note(os.tmpdir()) })`,
  )
  assert.deepEqual(states(result), [['one', 'passed']])
  assert.match(result.notes, /tessera-test-/)
  assert.ok(!existsSync(result.notes))
})

test('files that share a process are reported each with its own tests, and each has ended before the next begins', async () => {
  const [first, second, third] = await runTogether({
    'a.test.mjs': `globalThis.open = await Promise.resolve('a'); before(() => { globalThis.begun = true }); after(() => { globalThis.open = null })
      test('one', () => assert.ok(globalThis.begun)); describe('suite', () => { test('two', () => assert.fail('two is wrong')) })`,
    'b.test.mjs': `test('three', () => assert.equal(globalThis.open, later)); const later = null; await Promise.resolve(); test('four', async (t) => { await t.test('five', () => {}) })`,
    'c.test.mjs': `after(() => { throw new Error('tidying failed') }); test('six', () => {})`,
  })
  assert.deepEqual(states(first as FileResult), [
    ['one', 'passed'],
    ['suite › two', 'failed'],
  ])
  assert.match(lastWords(first as FileResult), /two is wrong/)
  assert.deepEqual(states(second as FileResult), [
    ['three', 'passed'],
    ['four › five', 'passed'],
    ['four', 'passed'],
  ])
  assert.deepEqual(states(third as FileResult), [
    ['six', 'passed'],
    ['(the file itself)', 'failed'],
  ])
  assert.match(lastWords(third as FileResult), /tidying failed/)
})

test('among files that share a process, one that tests nothing, cannot be parsed or hangs fails, and the others are run', async () => {
  const results = await runTogether(
    {
      'a.test.mjs': '',
      'b.test.mjs': 'this is no JavaScript',
      'c.test.mjs': `test('hangs', () => new Promise((resolve) => setTimeout(resolve, 60_000)))`,
      'd.test.mjs': `test('one', () => {})`,
    },
    2,
  )
  assert.deepEqual(
    results.slice(0, 3).map(({ outcomes }) => outcomes.some(({ state }) => state === 'failed')),
    [true, true, true],
  )
  const [nothing, broken, hanging, good] = results as [FileResult, FileResult, FileResult, FileResult]
  assert.match(lastWords(nothing), /^It ran no test/)
  assert.match(lastWords(broken), /SyntaxError/)
  assert.equal(hanging.outcomes[0]?.title, 'hangs')
  assert.deepEqual(good.outcomes[0]?.state, 'passed')
})

test('a process that several files share fails when it is left open, ends early or leaves processes running', async () => {
  const good = `test('one', () => {})`
  const isFailed = (results: readonly FileResult[]): boolean =>
    results.some(({ outcomes }) => outcomes.some(({ state }) => state === 'failed'))
  assert.equal(isFailed(await runTogether({ 'a.test.mjs': good, 'b.test.mjs': good })), false)
  const leaves = `(await import('node:child_process')).spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).unref()`
  for (const fault of [
    'setInterval(() => {}, 1000)',
    `process.on('exit', () => { process.exitCode = 3 })`,
    leaves,
    'setTimeout(() => process.exit(0), 0)',
  ])
    assert.ok(isFailed(await runTogether({ 'a.test.mjs': `${good}\n${fault}`, 'b.test.mjs': good }, 2)), fault)
})
