import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { CheckpointDestination } from '../../adapters/checkpoints/checkpoint-destination.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeDestinationQueue } from './destination-queue.ts'

test('a destination that fails gets every checkpoint later and in order, is reported once and again when it recovers, and is not asked all the time', async () => {
  const { queue, clock, taken, events, set } = makeQueue()
  queue.add('1')
  await queue.send()
  assert.deepEqual([taken, events], [['1'], ['sent']])
  set('failing')
  queue.add('2')
  queue.add('3')
  await queue.send()
  await queue.send()
  assert.deepEqual(events.splice(0), ['sent', 'failed first'])
  clock.advance(1000)
  await queue.send()
  assert.deepEqual([events.splice(0), queue.waitingCount()], [['failed'], 2])
  set('taking')
  clock.advance(1000)
  await queue.send()
  assert.deepEqual(taken, ['1'], 'the second wait is longer')
  clock.advance(1000)
  await queue.send()
  assert.deepEqual(
    [taken, events.splice(0)],
    [
      ['1', '2', '3'],
      ['recovered after 2', 'sent', 'sent'],
    ],
  )
})

test('a destination that does not respond holds up nothing, and its newest checkpoints wait', async () => {
  const { queue, clock, taken, events, set } = makeQueue()
  set('silent')
  for (let line = 0; line < 1200; line++) queue.add(String(line))
  const sending = queue.send()
  await clock.untilSleeping(5000)
  clock.advance(5000)
  await sending
  assert.deepEqual([events, queue.waitingCount()], [['failed first'], 1000])
  set('taking')
  await queue.close()
  assert.deepEqual([taken.length, taken[0], taken.at(-1)], [1000, '200', '1199'])
})

function makeQueue() {
  let state: 'taking' | 'failing' | 'silent' = 'taking'
  const taken: string[] = []
  const events: string[] = []
  const clock = makeHandClock()
  const destination: CheckpointDestination = {
    name: 'http',
    send(line) {
      if (state === 'failing') return Promise.reject(new Error('no'))
      if (state === 'silent') return new Promise(() => undefined)
      taken.push(line)
      return Promise.resolve()
    },
  }
  const reports = {
    onSent: () => void events.push('sent'),
    onFailed: (_name: string, { isFirst }: { isFirst: boolean }) => void events.push(isFirst ? 'failed first' : 'failed'),
    onRecovered: (_name: string, attempts: number) => void events.push(`recovered after ${String(attempts)}`),
    onFault: () => Promise.resolve(),
    onError: (err: unknown) => assert.fail(String(err)),
  }
  return { queue: makeDestinationQueue(destination, { clock, reports }), clock, taken, events, set: (next: typeof state) => (state = next) }
}
