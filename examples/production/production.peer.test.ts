// time limit: 1500 s
// needs: build, postgres, chromium, openssl, kannel, softhsm, nginx
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

import { makeCardNumber } from './merchant.ts'
import { formatHostMessage, takeMessages } from './iso-message.ts'
import { collectPdus } from './message-centre.ts'
import { readDecodedCodes } from './sms-gateway.ts'
import { faults } from './faults.ts'
import { findMoneyViolations } from './trial.ts'

const root = join(import.meta.dirname, '..', '..')

test('the whole example: a card by the form, paid and refunded, and every fault endured', async () => {
  assert.equal((await run(['tools/build-client.ts'])).code, 0)
  const { code, output } = await run(['examples/production/start.ts'])
  assert.equal(code, 0, output)
  assert.match(output, /the webhook receipt\.cancelled arrived/)
  assert.equal(output.split('\n').filter((line) => / calls not done/.test(line)).length, faults.length, output)
  assert.match(output, /Nothing was lost, nothing was taken twice, no second SMS was sent, and everything recovered\.\n$/)
  assert.match(output, /^\d+ payments were repeated with their keys, of which the network had taken [1-9]\d* before$/m)
  process.stdout.write(output.replaceAll(/^/gm, '# '))
})

test('the example refuses an option that it does not know, and a fault that there is none of', async () => {
  const unknown = await run(['examples/production/start.ts', '--fast'])
  assert.equal(unknown.code, 64)
  assert.match(unknown.output, /Unknown option '--fast'[^]*npm run example:production/)
})

test('the host of the example reads what it writes, in pieces', () => {
  const message = { mti: '0400', fields: { 3: '000000', 4: '000000012900', 11: '000042', 48: 'phone', 90: '0'.repeat(42) } }
  const bytes = formatHostMessage(message)
  const cut = takeMessages(bytes.subarray(0, 20))
  assert.deepEqual([cut.messages, cut.rest.length], [[], 20])
  const { messages, rest } = takeMessages(Buffer.concat([bytes, bytes, bytes.subarray(0, 1)]))
  assert.deepEqual([messages, rest.length], [[message, message], 1])
})

test('the gateway by SMPP passes on whole PDUs, in pieces and several at once', () => {
  const pdu = Buffer.concat([Buffer.from([0, 0, 0, 18, 0, 0, 0, 4]), Buffer.alloc(10, 7)])
  const passed: Buffer[] = []
  const collect = collectPdus((each) => passed.push(each))
  for (const byte of pdu) collect(Buffer.from([byte]))
  collect(Buffer.concat([pdu, pdu, pdu.subarray(0, 3)]))
  assert.deepEqual(passed, [pdu, pdu, pdu])
})

test('a code is read from what drive_smpp prints, for the card of the phone', () => {
  const line = (code: string, card: string) =>
    `2026-11-23 23:30:00 [9] [3] DEBUG: submit_sm: short_message = <Example: code ${code} for card *${card}, valid>\n`
  const output = line('111111', '0015') + line('222222', '0023') + line('333333', '0015')
  assert.deepEqual(readDecodedCodes(output, '998900000015'), ['111111', '333333'])
})

test('the trial finds what was lost, taken twice, or kept for a payment that was not made', () => {
  const payments = (['paid', 'unknown', 'refused'] as const).map((outcome, index) => ({
    outcome,
    receiptId: `r${String(index)}`,
    tiyin: index,
  }))
  const find = (states: readonly number[], tiyin: readonly number[]): string[] =>
    findMoneyViolations(
      payments,
      new Map(states.map((state, index) => [`r${String(index)}`, state])),
      tiyin.map((each) => ({ tiyin: each })),
    )
  assert.deepEqual(find([4, 50, 0], [0]), [])
  assert.deepEqual(find([4, 20, 0], [0]), ['receipt r1 is still open, in state 20'])
  assert.deepEqual(find([4, 4, 0], [0, 1]), [])
  assert.deepEqual(find([4, 50, 0], [0, 0]), ['0 tiyin were taken 2 times'])
  assert.deepEqual(find([4, 50, 0], []), ['receipt r0 is paid, and the network took nothing'])
  assert.deepEqual(find([50, 50, 0], []), ['receipt r0 was acknowledged as paid and is in state 50'])
  assert.deepEqual(find([4, 50, 0], [0, 1]), ['receipt r1 is in state 50, and the network took it'])
  assert.deepEqual(find([4, 50, 0], [0, 2]), ['receipt r2 is in state 0, and the network took it'])
  assert.deepEqual(find([4, -1, 0], [0]), ['receipt r1 cannot be read'])
})

test('the numbers of the example have a right check digit', () => {
  assert.equal(makeCardNumber(1), '8600000000000015')
  for (const number of [1, 7, 42, 99_001]) assert.match(makeCardNumber(number), /^8600000000\d{6}$/)
})

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.once('close', (code) => resolve({ code, output }))
  })
}
