import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'

import { makeScratch, runHere, runTessera, until } from '../../testing/child.fixture.ts'

const launcher = join(import.meta.dirname, '../../../bin/tessera.mjs')
const scratch = makeScratch()
const number = '8600069195406311'
const masked = '860006******6311'
let folders = 0

test('files, folders and gzip files are searched; path, offset and the masked number are printed, and never the number', async () => {
  const folder = makeFolder({
    'a/access.log': `GET /pay?card=${number} HTTP/1.1\n`,
    'a/b/dump.sql.gz': gzipSync(`insert into old values ('${number}');\n`),
    'a/clean.txt': 'order 12, phone 998901234567\n',
    [`${number}.txt`]: `again: ${number}`,
    [`exports/of ${number}/empty`]: '',
  })
  symlinkSync(folder, join(folder, 'a/around'))
  const { code, out, err } = await runHere(['scan', folder])
  assert.deepEqual([code, err], [1, ''])
  const lines = out.trimEnd().split('\n')
  assert.deepEqual(
    lines.slice(0, -1).toSorted(),
    [
      `${folder}/[card number].txt: ${masked} (in the name)`,
      `${folder}/[card number].txt:7: ${masked}`,
      `${folder}/exports/of [card number]: ${masked} (in the name)`,
      `${folder}/a/access.log:14: ${masked}`,
      `${folder}/a/b/dump.sql.gz:25: ${masked} (in gzip)`,
    ].toSorted(),
  )
  assert.equal(lines.at(-1), '5 card numbers in 5 files (0.0 MB).')
  assert.ok(!out.includes(number))

  const json = await runHere(['scan', '--json', '--max=1', join(folder, 'a')])
  const data = JSON.parse(json.out) as { found: number; isComplete: boolean; findings: object[] }
  assert.deepEqual([json.code, data.found, data.findings.length, data.isComplete], [1, 2, 1, true])
  assert.ok(!json.out.includes(number))
})

test('exit codes: 0 without a number, 2 when something could not be read, 64 for a wrong command line', async () => {
  const folder = makeFolder({
    'clean.log': 'nothing',
    'cut.gz': gzipSync('x'.repeat(10_000)).subarray(0, 20),
    empty: '',
    'bad.gz': Buffer.from('1f8b08ffff', 'hex'),
  })
  assert.deepEqual((await runHere(['scan', join(folder, 'clean.log'), join(folder, 'empty')])).code, 0)
  symlinkSync('clean.log', join(folder, 'link'))
  const cut = await runHere(['scan', folder, join(folder, 'none'), join(folder, 'link')])
  assert.equal(cut.code, 2)
  assert.match(cut.out, /cut\.gz: the gzip file is cut off/)
  assert.match(cut.out, /bad\.gz: /)
  assert.match(cut.out, /none: it is not there \(ENOENT\)/)
  assert.match(cut.out, /link: a link, and links are not followed: name what it points to/)
  assert.match(cut.out, /No card number in 2 files/)
  assert.equal((await runHere(['scan'])).code, 64)
  assert.equal((await runHere(['scan', folder, '--max=many'])).code, 64)
  assert.equal((await runHere(['scan', folder, '--nonsense'])).code, 64)
})

test('standard input is searched without an end, and SIGINT stops with what was found', async () => {
  const child = runTessera(['scan', '/proc/self/fd/0', '-'], {}, [], {})
  assert.equal((await child.ended).code, 2, 'a device is no file, and standard input is empty')

  for (const sent of ['', 'some bytes, and no end']) {
    const folder = makeFolder({ first: number })
    const endless = spawn(process.execPath, [launcher, 'scan', join(folder, 'first'), '-'], { stdio: ['pipe', 'pipe', 'ignore'] })
    let out = ''
    endless.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    endless.stdin.write(sent)
    await until(() => out.includes(masked), 'the first number')
    endless.kill('SIGINT')
    const [code] = (await once(endless, 'close')) as [number | null]
    assert.deepEqual([code, /Stopped before the end/.test(out)], [130, true], out)
  }
})

test('a file of 64 MB takes no more memory than a small one', async () => {
  const folder = makeFolder({})
  const big = Buffer.alloc(64e6, 'the quick brown fox 2026 jumps over 12345678 lazy dogs\n')
  big.write(number, 63_999_000)
  writeFileSync(join(folder, 'big'), big)
  const report = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))'
  const child = runTessera(['scan', join(folder, 'big')], {}, ['--import', report])
  const { code, out, err } = await child.ended
  assert.equal(code, 1)
  assert.ok(out.includes(`:63999000: ${masked}`), out)
  const kilobytes = Number(err.trim().split('\n').at(-1))
  assert.ok(kilobytes > 10_000 && kilobytes < 250_000, err)
})

function makeFolder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(scratch, String(folders++))
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}
