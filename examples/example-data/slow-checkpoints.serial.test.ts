import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as waitMs } from 'node:timers/promises'

import { readConfig } from '../../service/src/ops/config/config.ts'

import { fillExampleData, firstMidnight } from './fill.ts'
import { withExampleApp } from './open-app.ts'
import { makePastClock } from './past-clock.ts'

const data = mkdtempSync(join(tmpdir(), 'tessera-example-checkpoints-'))
after(() => rmSync(data, { recursive: true }))

test('a checkpoint whose destination takes its time is not late because the example moved the clock meanwhile', async (t) => {
  let received = 0
  const destination = createServer((request, response) => {
    request.resume().once('end', () => {
      received += 1
      // Longer than the pauses after which the clock of the example moves on.
      void waitMs(80).then(() => response.writeHead(204).end())
    })
  })
  await new Promise<void>((resolve) => destination.listen(0, '127.0.0.1', resolve))
  t.after(() => destination.close())
  const url = `http://127.0.0.1:${String((destination.address() as AddressInfo).port)}/`
  const flags = [`--data=${data}`, '--dashboard-password-cost=10', `--audit-checkpoint-url=${url}`, '--audit-checkpoint-seconds=1']
  const { config } = readConfig(flags, {})
  // Until six in the evening of the first day, so that the test ends soon.
  const day = { days: 1, until: Math.floor(Date.now() / dayMs) * dayMs + 13 * hourMs }
  const clock = makePastClock(firstMidnight(day))
  const printed: string[] = []
  const write = t.mock.method(process.stderr, 'write', (line: string | Uint8Array) => printed.push(String(line)) > 0)
  try {
    await withExampleApp(config, clock, (app, faults) => fillExampleData(app, clock, faults, { ...day, visitsPerDay: 20 }))
  } finally {
    write.mock.restore()
  }
  assert.deepEqual(printed, [])
  assert.ok(received > 5, `the control: ${String(received)} checkpoints were posted`)
})

const hourMs = 3_600_000
const dayMs = 24 * hourMs
