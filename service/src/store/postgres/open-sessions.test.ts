import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeOpenSessions, type OpenedFrom } from './open-sessions.ts'
import type { Session } from './session.ts'

const opened: OpenedFrom = { host: 'postgres://a/db', startedAt: 'one', epoch: 1, timeline: 1 }

test('sessions with one server stay open when it is followed under another name, and end with another server', () => {
  const isEnded = (than: OpenedFrom): boolean => {
    const sessions = makeOpenSessions()
    let usable = true
    sessions.add(
      {
        get usable() {
          return usable
        },
        destroy: () => void (usable = false),
      } as Session,
      opened,
    )
    sessions.endOthers(than)
    return !usable
  }
  assert.ok(!isEnded(opened))
  assert.ok(!isEnded({ ...opened, host: 'postgres://other-name/db' }))
  assert.ok(isEnded({ ...opened, host: 'postgres://b/db', startedAt: 'two' }))
  assert.ok(isEnded({ ...opened, timeline: 2 }))
})
