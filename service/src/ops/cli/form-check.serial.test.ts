// time limit: 180 s
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

import { findChromium } from '../../../../tools/chromium.ts'

import { makeScratch, runTessera, type Child } from '../../testing/child.fixture.ts'

describe('form-check on the command line', () => {
  const scratch = makeScratch()
  const server = createServer((_request, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Shop'))
  let url = ''
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
  })
  after(() => server.close().closeAllConnections())

  it('exits with 130 at the first Ctrl-C, prints no result, and leaves no browser running', async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const pidFile = join(scratch, signal)
      const browser = join(scratch, `browser-${signal}`)
      // Becomes the browser, under the number that it leaves.
      writeFileSync(browser, `#!/bin/sh\necho $$ > '${pidFile}'\nexec '${findChromium() ?? assert.fail('no Chromium')}' "$@"\n`)
      chmodSync(browser, 0o755)
      const child = runTessera(['form-check', url, '--wait', '60', '--browser', browser])
      await said(child, /^Opening/m)
      const pid = Number(readFileSync(pidFile, 'utf8'))
      assert.ok(isAlive(pid), 'no browser was started')
      child.kill(signal)
      const { code, out, err } = await child.ended
      assert.deepEqual([code, out], [130, ''], err)
      assert.match(err, /Stopped before the check was complete/)
      assert.equal(isAlive(pid), false, 'the browser still runs')
    }
  })

  it('exits with 64 on an invalid command line and checks nothing', async () => {
    for (const [words, says] of [
      [[], /tessera form-check <url or folder>/],
      [[url, url], /tessera form-check <url or folder>/],
      [[url, '--wait', '61'], /--wait takes seconds from 0 to 60/],
      [[url, '--wait', 'a'], /--wait takes seconds/],
      [[url, '--max-warnings', '-1'], /--max-warnings takes a number/],
      [[url, '--time-limit', '4'], /--time-limit takes seconds from 5 to 600/],
      [[url, '--service', `${url}form`], /--service takes an origin/],
      [[url, '--sttaic'], /There is no option --sttaic\. Did you mean --static\?/],
      [[url, '--form-origin=http://127.0.0.1'], /"form-check" takes no --form-origin/],
    ] as const) {
      const { code, out, err } = await runTessera(['form-check', ...words]).ended
      assert.deepEqual([code, out], [64, ''], words.join(' '))
      assert.match(err, says)
    }
  })

  it('exits with 2 when a page cannot be checked, and says what to do', async () => {
    for (const [words, says] of [
      [['http://127.0.0.1:1/', '--static'], /127\.0\.0\.1:1/],
      [[join(scratch, 'nowhere'), '--static'], /nowhere/],
      [['ftp://127.0.0.1/'], /begins with http:/],
      [[url, '--browser', join(scratch, 'no-browser')], /--static/],
    ] as const) {
      const { code, err } = await runTessera(['form-check', ...words]).ended
      assert.equal(code, 2, `${words.join(' ')}: ${err}`)
      assert.match(err, says)
    }
  })

  it('exits with 0 on a page without violations, also with --json', async () => {
    writeFileSync(join(scratch, 'page.html'), '<!doctype html><html lang="en"><title>Shop</title><p>No card is taken here.')
    writeFileSync(join(scratch, 'embed.html'), '<!doctype html><script src="https://form.example/sdk/v1/tessera.js"></script>')
    for (const [words, expected] of [
      [[], 0],
      [['--max-warnings', '2'], 0],
      [['--max-warnings', '1'], 1],
    ] as const) {
      const { code, out } = await runTessera(['form-check', join(scratch, 'embed.html'), '--static', ...words]).ended
      assert.equal(code, expected, out)
      assert.match(out, /0 errors, 2 warnings/)
    }
    const { code, out } = await runTessera(['form-check', join(scratch, 'page.html'), '--static', '--json']).ended
    assert.ok(code === 0 || code === 1, out)
    const { findings } = JSON.parse(out) as { findings: readonly unknown[] }
    assert.equal(code === 0, findings.length === 0, out)
  })
})

async function said(child: Child, what: RegExp): Promise<void> {
  const until = performance.now() + 60_000
  while (!what.test(child.err())) {
    assert.ok(performance.now() < until, child.err())
    await Promise.race([pause(50), child.ended.then(() => assert.fail(child.err()))])
  }
}

function isAlive(pid: number): boolean {
  if (!existsSync(`/proc/${String(pid)}/stat`)) return false
  // A zombie process (not yet waited for) is no longer a browser.
  return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))
}
