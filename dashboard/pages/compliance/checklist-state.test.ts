import assert from 'node:assert/strict'
import { test } from 'node:test'

import { type ChecklistData, complianceChecks, listComplianceChecks } from './checklist-state.ts'

const now = 1_800_000_000_000
const dayMs = 24 * 3_600_000

function data(over: object = {}): ChecklistData {
  const summary = { tokens: { changed: 0 }, consents: { merchant: 0 }, findings: [], settings: { origins: ['https://shop.example'] } }
  const scripts = [{ decision: 'authorised', isChanged: false, isGone: false }]
  return {
    summary,
    scripts,
    checks: [{ checkedAt: now - dayMs }],
    settings: { requireSecondFactor: true },
    now,
    ...over,
  } as unknown as ChecklistData
}

const todoOf = (over: object): string[] =>
  listComplianceChecks(data(over))
    .filter(({ state }) => state === 'todo')
    .map(({ name }) => name)

test('a merchant who has done everything has nothing left to do', () => {
  assert.deepEqual(todoOf({}), [])
  assert.equal(listComplianceChecks(data()).length, Object.keys(complianceChecks).length)
})

test('each thing that the service sees is something to do, and comes first', () => {
  const summary = {
    tokens: { changed: 1 },
    consents: { merchant: 3 },
    findings: [{ kind: 'sad_sent' }, { kind: 'password_in_browser' }],
    settings: { origins: [] },
  }
  const scripts = [{ decision: 'authorised', isChanged: true, isGone: false }]
  const rows = listComplianceChecks(
    data({ summary, scripts, checks: [{ checkedAt: now - 8 * dayMs }], settings: { requireSecondFactor: false } }),
  )
  assert.deepEqual(
    rows.filter(({ state }) => state === 'done').map(({ name }) => name),
    ['noCardOutOfForm', 'responsibilities'],
  )
  assert.equal(rows.at(-1)?.state, 'done')
})

test('a script list that is empty is no proof, and what was not loaded is neither done nor to do', () => {
  assert.deepEqual(todoOf({ scripts: [] }), ['scriptsAuthorized'])
  const rows = listComplianceChecks(data({ scripts: null, checks: null, settings: null }))
  assert.deepEqual(
    rows.filter(({ state }) => state === 'unknown').map(({ name }) => name),
    ['scriptsAuthorized', 'pagesWatched', 'secondFactor'],
  )
})
