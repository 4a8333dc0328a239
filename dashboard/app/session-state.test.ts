import assert from 'node:assert/strict'
import { test } from 'node:test'

import { clearSession, csrfToken, expireSession, hasRole, hasSessionExpired, session, type SessionInfo } from './session-state.ts'

/** Only the members that are read here. */
function signInAs(role: SessionInfo['role']): void {
  session.value = { role, csrf: 'c' } as SessionInfo
}

test('an owner has every role, everybody may read, and other roles have only themselves', () => {
  const roles = ['read', 'support', 'developer', 'owner'] as const
  const granted = roles.map((role) => {
    signInAs(role)
    return roles.filter(hasRole)
  })
  assert.deepEqual(granted, [['read'], ['read', 'support'], ['read', 'developer'], ['read', 'support', 'developer', 'owner']])
})

test('a session that expires is reported as expired once it was there, and one that was signed out is not', () => {
  session.value = null
  expireSession()
  assert.equal(hasSessionExpired.value, false, 'there was no session')
  signInAs('read')
  expireSession()
  expireSession()
  assert.deepEqual([session.peek()?.role, hasSessionExpired.value], ['read', true], 'its pages stay until somebody signs in')
  signInAs('read')
  assert.equal(csrfToken.value, 'c')
  clearSession()
  assert.deepEqual([session.value, hasSessionExpired.value, csrfToken.value], [null, false, ''])
})
