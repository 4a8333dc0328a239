import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compareByUrgency, scriptState } from './script-state.ts'

const script = { decision: 'authorised', isChanged: false, isGone: false } as const

test('a change is shown before the decision that it outdates, and a script that is gone needs none', () => {
  assert.deepEqual(scriptState(script), { tone: 'green', name: 'authorised' })
  assert.deepEqual(scriptState({ ...script, isChanged: true }), { tone: 'red', name: 'changed' })
  assert.deepEqual(scriptState({ ...script, decision: 'refused' }), { tone: 'red', name: 'refused' })
  assert.deepEqual(scriptState({ ...script, decision: 'open', isChanged: true }), { tone: 'amber', name: 'open' })
  assert.deepEqual(scriptState({ ...script, decision: 'refused', isGone: true }), { tone: 'grey', name: 'gone' })
})

test('what needs attention comes first', () => {
  const scripts = [
    { ...script, isGone: true },
    script,
    { ...script, isChanged: true },
    { ...script, decision: 'open' as const },
    { ...script, decision: 'refused' as const },
  ]
  assert.deepEqual(
    scripts.toSorted(compareByUrgency).map((each) => scriptState(each).name),
    ['refused', 'changed', 'open', 'authorised', 'gone'],
  )
})
