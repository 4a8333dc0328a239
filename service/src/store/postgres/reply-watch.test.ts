import assert from 'node:assert/strict'
import { test } from 'node:test'

import { AwaitedReply, makeReplyWatch } from './reply-watch.ts'

test('each reply is late at its own deadline, in whatever order they were added, and one that was removed never is', async () => {
  const watch = makeReplyWatch()
  const late: string[] = []
  const startedAt = performance.now()
  const add = (name: string, ms: number): { readonly reply: AwaitedReply; readonly isLate: Promise<void> } => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const onLate = (): void => {
      assert.ok(performance.now() - startedAt >= ms, `${name} after ${String(performance.now() - startedAt)} ms`)
      late.push(name)
      resolve()
    }
    const reply = new AwaitedReply(startedAt + ms, onLate)
    watch.add(reply)
    return { reply, isLate: promise }
  }
  const last = add('last', 90)
  const first = add('first', 30)
  const removed = add('removed', 10)
  const middle = add('middle', 60)
  watch.remove(removed.reply)
  // Again, as when a reply ends twice.
  watch.remove(removed.reply)
  // The timer of the watch keeps no process running, and nothing else does here.
  const running = setInterval(() => undefined, 1000)
  await Promise.all([first.isLate, middle.isLate, last.isLate])
  clearInterval(running)
  assert.deepEqual(late, ['first', 'middle', 'last'])
})

test('a reply that is removed by the lateness of another is not late', async () => {
  const watch = makeReplyWatch()
  const late: string[] = []
  const now = performance.now()
  const running = setInterval(() => undefined, 1000)
  const other = new AwaitedReply(now + 5, () => late.push('other'))
  const whole = new Promise<void>((resolve) => {
    watch.add(
      new AwaitedReply(now + 5, () => {
        late.push('one')
        watch.remove(other)
      }),
    )
    watch.add(other)
    watch.add(new AwaitedReply(now + 30, resolve))
  })
  await whole
  clearInterval(running)
  assert.deepEqual(late, ['one'])
})
