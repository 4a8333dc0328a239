// time limit: 300 s
import assert from 'node:assert/strict'
import { execFileSync, fork } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import type { DamagedRequestLog, RequestLogStore } from '../request-log-store.ts'
import { deleteSegmentsOf, listSegmentHeads, type RequestSegment } from '../request-segments.ts'
import { StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { SQLITE_IOERR, SQLITE_IOERR_CORRUPTFS } from './fault.ts'
import { makeSqliteRequestLog, requestLogPathOf, type SqliteRequestLogOptions } from './request-log.ts'
import { withFolder } from './with-store.fixture.ts'

const of = { bucket: 7, merchantId: 'a'.repeat(24) }
const all = {
  ...of,
  behind: { at: 1e15, id: '' },
  latest: 1e15,
  from: 0,
  count: 100_000,
  needles: [],
  minErrors: 0,
  minResults: 0,
  minMicros: 0,
}

test('kill -9 in the middle of appending loses nothing that was appended, and damages nothing', async () => {
  await withFolder(async (folder) => {
    const child = fork(fileURLToPath(new URL('./request-log-child.fixture.ts', import.meta.url)), [folder], { execArgv: ['--no-warnings'] })
    let appended = 0
    child.on('message', (message) => {
      assert.equal(typeof message, 'number', JSON.stringify(message))
      appended = Number(message)
      if (appended === 40) child.kill('SIGKILL')
    })
    await new Promise((resolve) => child.once('exit', resolve))
    assert.ok(appended >= 40)
    const damaged: DamagedRequestLog[] = []
    const requestLog = makeSqliteRequestLog({ folder, onDamaged: (found) => void damaged.push(found), limits: longLimits })
    const heads = await requestLog.read(listSegmentHeads(all))
    await requestLog.append([segment(1_000_000)])
    await requestLog.close()
    assert.ok(heads.length >= appended, `${String(heads.length)} of ${String(appended)}`)
    assert.deepEqual(damaged, [])
    const db = new DatabaseSync(requestLogPathOf(folder), { readOnly: true })
    assert.equal(db.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok')
    db.close()
  })
})

test('another process reads what was appended, while the log is in use, and only the owner can read its files', async () => {
  await withLog(async ({ requestLog, path }) => {
    await requestLog.append([segment(1), segment(2)])
    await requestLog.append([segment(2)])
    const db = new DatabaseSync(path, { readOnly: true })
    assert.equal(db.prepare('select sum(calls) as calls from request_segments').get()?.['calls'], 2)
    db.close()
    for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(`${path}${suffix}`).mode & 0o777, 0o600)
  })
})

test('a file that is damaged or no database is set aside, and the log goes on with an empty one', async () => {
  await withLog(async ({ requestLog, path, damaged }) => {
    writeFileSync(path, 'not a database'.repeat(1000))
    await requestLog.append([segment(1)])
    assert.deepEqual(
      damaged.map(({ file }) => file),
      [`${path}.damaged`],
    )
    assert.match(readFileSync(`${path}.damaged`, 'latin1'), /^not a database/)
    assert.equal((await requestLog.read(listSegmentHeads(all))).length, 1)
  })
})

test('pages that break while the log is in use are noticed by the read that meets them', async () => {
  await withLog(async ({ requestLog, path, damaged, reopen }) => {
    for (let n = 0; n < 50; n++) await requestLog.append([segment(n)])
    await requestLog.close()
    const file = openSync(path, 'r+')
    for (let page = 1; page * 4096 < statSync(path).size; page++) writeSync(file, Buffer.alloc(4096, 0x5a), 0, 4096, page * 4096)
    const again = reopen()
    assert.deepEqual(await again.read(listSegmentHeads(all)), [])
    assert.equal(damaged.length, 1)
    await again.append([segment(1)])
    assert.equal((await again.read(listSegmentHeads(all))).length, 1)
    assert.ok(existsSync(`${path}.damaged`))
  })
})

test('a read or write ends in time although the disk does not respond, and no copy of a write waits behind it', async () => {
  await withPipe(async (folder, release) => {
    const requestLog = makeSqliteRequestLog({ folder, onDamaged, limits: { readMs: 50, writeMs: 100 }, program: lateThread })
    const startedAt = performance.now()
    await assert.rejects(requestLog.append([segment(1)]), StoreOutcomeUnknown)
    // The recorder sends what it could not append once more, with the calls that came meanwhile.
    await assert.rejects(requestLog.append([segment(2)]), StoreUnavailable)
    await assert.rejects(requestLog.deletePage(deleteSegmentsOf(of)), StoreUnavailable)
    await assert.rejects(requestLog.read(listSegmentHeads(all)), StoreUnavailable)
    assert.ok(performance.now() - startedAt < 4000)
    await release()
    await untilAppended(requestLog, segment(3))
    const read = await readInTime(requestLog)
    await requestLog.close()
    assert.deepEqual(read, [3, 1])
  })
})

test('a stop ends although the thread is stuck at the disk, and what waits for it is rejected', async () => {
  await withPipe(async (folder) => {
    const requestLog = makeSqliteRequestLog({ folder, onDamaged, limits: { readMs: 20_000, writeMs: 100 }, program: lateThread })
    const late = assert.rejects(requestLog.append([segment(1)]), StoreOutcomeUnknown)
    const read = assert.rejects(requestLog.read(listSegmentHeads(all)), StoreUnavailable)
    await requestLog.close()
    await Promise.all([late, read])
  })
})

test('the thread that answers requests makes no file', async () => {
  await withLog(async ({ requestLog, path }) => {
    const appended = requestLog.append([segment(1)])
    assert.ok(!existsSync(path))
    await appended
    assert.ok(existsSync(path))
  })
})

test('a file that cannot be made, or read because the disk fails, is not taken for a damaged one', async () => {
  await withLog(async ({ requestLog, path, damaged, reopen }) => {
    await requestLog.append([segment(1)])
    await requestLog.close()
    for (const [code, isDamaged] of [
      [SQLITE_IOERR, false],
      [SQLITE_IOERR | (1 << 8), false],
      [SQLITE_IOERR_CORRUPTFS, true],
    ] as const) {
      await assert.rejects(
        reopen({ program: failingThread(code) }).append([segment(2)]),
        (err) => err instanceof StoreUnavailable && err.message === 'disk I/O error',
      )
      assert.deepEqual([damaged.length > 0, existsSync(path)], [isDamaged, !isDamaged], String(code))
    }
    writeFileSync(`${path}.folder`, '')
    await assert.rejects(reopen({ folder: `${path}.folder` }).append([segment(1)]), StoreUnavailable)
  })
})

test('the write-ahead log of a damaged file is set aside with it, and both are deleted when their calls are too old', async () => {
  await withLog(async ({ requestLog, path, damaged, reopen }) => {
    const files = [`${path}.damaged`, `${path}.damaged-wal`]
    writeFileSync(path, 'the damaged one')
    writeFileSync(`${path}-wal`, 'of the damaged one')
    await assert.rejects(reopen({ program: failingThread(SQLITE_IOERR_CORRUPTFS) }).append([segment(1)]), StoreUnavailable)
    assert.deepEqual([damaged.length, files.map((file) => existsSync(file))], [1, [true, true]])
    assert.equal(readFileSync(`${path}.damaged-wal`, 'utf8'), 'of the damaged one')
    const never = new AbortController().signal
    const day = 86_400_000
    // The WAL has the newer calls.
    utimesSync(`${path}.damaged`, 1, 1)
    await requestLog.deleteBefore(Date.now() - day, never)
    assert.ok(files.every((file) => existsSync(file)))
    await requestLog.deleteBefore(Date.now() + day, never)
    assert.ok(files.every((file) => !existsSync(file)))
    await requestLog.deleteBefore(Date.now() + day, never)
  })
})

test('a log that is closed refuses, and one of a newer version is set aside', async () => {
  await withLog(async ({ requestLog, path, damaged, reopen }) => {
    await requestLog.append([segment(1)])
    await requestLog.close()
    await assert.rejects(requestLog.append([segment(2)]), /closed/)
    const db = new DatabaseSync(path)
    db.exec('pragma user_version = 99')
    db.close()
    await reopen().append([segment(3)])
    assert.match(String(damaged[0]?.cause), /newer version/)
  })
})

function segment(number: number): RequestSegment {
  const lastId = String(number).padStart(24, '0')
  const of1 = { ...of, caller: 'server' } as const
  return { ...of1, lastAt: number, lastId, firstAt: number, calls: 1, errors: 0, gaps: 0, slowestMicros: 1, body: `["${'x'.repeat(900)}"]` }
}

interface OpenedLog {
  readonly requestLog: RequestLogStore
  readonly path: string
  readonly damaged: DamagedRequestLog[]
  readonly reopen: (options?: Partial<SqliteRequestLogOptions>) => RequestLogStore
}

const onDamaged = ({ cause }: DamagedRequestLog): never => assert.fail(String(cause))
const lateThread = new URL('./request-log-late.fixture.ts', import.meta.url)

/** A thread to which SQLite returns this result code for every message. */
function failingThread(code: number): URL {
  const program = `
    import { parentPort } from 'node:worker_threads'
    const failed = { failed: 'disk I/O error', code: ${String(code)} }
    parentPort.on('message', (message) => message === null ? parentPort.close() : parentPort.postMessage(failed))`
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`)
}

/** Under the load of other tests a thread may take long to start. */
const longLimits = { readMs: 20_000, writeMs: 20_000 }

/** Runs a test of a thread that waits for a named pipe. `release` lets it go on, as the end of the test does. */
async function withPipe(run: (folder: string, release: () => Promise<void>) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const pipe = `${requestLogPathOf(folder)}.pipe`
    execFileSync('mkfifo', [pipe])
    const release = async (): Promise<void> => {
      const until = performance.now() + longLimits.readMs
      while (!writeToReader(pipe) && performance.now() < until) await setImmediate()
    }
    await run(folder, release).finally(() => writeToReader(pipe))
  })
}

/** False when nobody reads the pipe. */
function writeToReader(pipe: string): boolean {
  try {
    const file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
    writeSync(file, 'x')
    closeSync(file)
    return true
  } catch {
    return false
  }
}

/** Appends as the recorder does: again, until it is done. */
async function untilAppended(requestLog: RequestLogStore, appended: RequestSegment): Promise<void> {
  const until = performance.now() + longLimits.writeMs
  for (;;) {
    try {
      await requestLog.append([appended])
      return
    } catch (err) {
      if (performance.now() > until) throw err
    }
  }
}

async function readInTime(requestLog: RequestLogStore): Promise<number[]> {
  const until = performance.now() + longLimits.readMs
  for (;;) {
    try {
      return (await requestLog.read(listSegmentHeads(all))).map(({ lastAt }) => lastAt)
    } catch (err) {
      if (performance.now() > until) throw err
    }
  }
}

async function withLog(run: (opened: OpenedLog) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const damaged: DamagedRequestLog[] = []
    const opened: RequestLogStore[] = []
    const open = (options: Partial<SqliteRequestLogOptions> = {}): RequestLogStore => {
      const requestLog = makeSqliteRequestLog({ folder, onDamaged: (found) => void damaged.push(found), limits: longLimits, ...options })
      opened.push(requestLog)
      return requestLog
    }
    try {
      await run({ requestLog: open(), path: requestLogPathOf(folder), damaged, reopen: open })
    } finally {
      for (const requestLog of opened) await requestLog.close()
    }
  })
}
