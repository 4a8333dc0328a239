import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeSystemClock } from '../../system-clock.ts'

import { makeParsePage, type ParsePage } from './parse-page.ts'

const clock = makeSystemClock()
const page = { page: 'pasted', policies: [], origin: null, formOrigin: null }
const folder = mkdtempSync(join(tmpdir(), 'tessera-parse-'))
after(() => rmSync(folder, { recursive: true }))

test('a page is parsed in its own process: findings with lines, scripts with hashes, of bounded size', async () => {
  const parse = makeParsePage({ clock })
  const text = `<form action="/pay">\n<input name="n" autocomplete="cc-number">\n</form>\n<script>x</script>${'<script src="https://a.example/s.js"></script>'.repeat(120)}`
  const { findings, scripts, isCut } = await parse({ ...page, text })
  assert.deepEqual(
    findings.slice(0, 3).map(({ rule, line }) => [rule, line]),
    [
      ['card-input', 2],
      ['input-name', 2],
      ['form-action', 1],
    ],
  )
  assert.deepEqual([scripts.length, isCut], [100, true])
  assert.match(scripts[0]?.fingerprint ?? '', /^sha256-.{44}$/)
  assert.equal(scripts[0]?.name, `inline ${(scripts[0]?.fingerprint ?? '').slice('sha256-'.length)}`)
  assert.deepEqual(scripts[1], {
    address: 'https://a.example/s.js',
    name: 'https://a.example/s.js',
    fingerprint: '',
    integrity: '',
    party: 'third',
  })
})

test('a page that breaks the parser ends only its process, and the next one is parsed', async () => {
  const deep = '<div>'.repeat(180_000)
  const parse = makeParsePage({ clock })
  const long = parse({ ...page, text: deep }).then(
    ({ findings }) => findings.length,
    (err: unknown) => (err as { data: string }).data,
  )
  assert.ok([0, 'too_complex'].includes(await long))
  assert.deepEqual((await parse({ ...page, text: '<p>fine' })).findings, [])
})

test('a parser that crashes, runs out of memory or hangs reports a page that is too complex, and nothing else is affected', async () => {
  for (const program of [
    'throw new Error("no")',
    'const all = []; for (;;) all.push(new Array(1000).fill(all.length))',
    'process.exit(0)',
    'for (;;);',
  ]) {
    const file = join(folder, `reader-${String(program.length)}.mjs`)
    writeFileSync(file, program)
    const parse = makeParsePage({ clock, program: file, timeMs: program === 'for (;;);' ? 300 : 15_000 })
    await assert.rejects(parse({ ...page, text: '<p>' }), { entry: 'pageNotChecked', data: 'too_complex' })
  }
})

test('the process of the parser reads its own files only: neither the system’s nor those of the data folder', async () => {
  const data = mkdtempSync(join(tmpdir(), 'tessera-data-'))
  after(() => rmSync(data, { recursive: true }))
  const keyFile = join(data, 'development.kek')
  writeFileSync(keyFile, 'a key')
  const others = [
    '/etc/passwd',
    keyFile,
    '/proc/self/environ',
    `/proc/${String(process.pid)}/cmdline`,
    join(import.meta.dirname, '../../main.ts'),
  ]
  const program = join(folder, 'reads.mjs')
  writeFileSync(
    program,
    `import { readdirSync, readFileSync } from 'node:fs'
     const attempt = (use) => { try { use(); return 'read' } catch (err) { return err.code } }
     process.once('message', ({ text }) => {
       const outcomes = JSON.parse(text).map((path) => attempt(() => readFileSync(path))).concat(attempt(() => readdirSync(${JSON.stringify(data)})))
       process.send({ findings: outcomes, scripts: [], isCut: false }, () => process.disconnect())
     })`,
  )
  const outcomesOf = async (parse: ParsePage) => (await parse({ ...page, text: JSON.stringify(others) })).findings as unknown
  assert.deepEqual(
    await outcomesOf(makeParsePage({ clock, program })),
    Array.from({ length: 6 }, () => 'ERR_ACCESS_DENIED'),
  )
  // The control: the same program reads all of them where everything is readable, as it was before.
  assert.deepEqual(
    await outcomesOf(makeParsePage({ clock, program, readable: ['*'] })),
    Array.from({ length: 6 }, () => 'read'),
  )
})

test('of many concurrent pages a few wait and the others are refused with a retry time', async () => {
  const parse = makeParsePage({ clock })
  const parsed = await Promise.allSettled(Array.from({ length: 7 }, () => parse({ ...page, text: '<p>' })))
  assert.equal(parsed.filter(({ status }) => status === 'fulfilled').length, 4)
})
