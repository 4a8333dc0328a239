import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { ShareSet } from '@tessera/vault/share-set'

import { makeHandClock } from '../../testing/clock.fixture.ts'
import type { AuditActor } from '../request-context.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

import { makeCustody, rewrapPurpose, type Custody } from './custody.ts'
import { CustodyRefusal } from './custody-refusal.ts'
import type { CustodyEntry } from './custody-audit.ts'

const minute = 60_000
let entering = 0

function openCustody(sets: ShareSet[] = [], onRecord: (entry: CustodyEntry) => void = () => undefined, isDumped = () => false) {
  const clock = makeHandClock()
  const entries: CustodyEntry[] = []
  const record = async (_by: unknown, entry: CustodyEntry): Promise<void> => {
    onRecord(entry)
    await Promise.resolve(entries.push(entry))
  }
  const custody = makeCustody({ environment: 'test', clock, audit: { record }, isDumped, ceremonyMs: 30 * minute })
  custody.useSets({ list: () => Promise.resolve([...sets]), insert: (set) => Promise.resolve(void sets.push(set)) })
  return { custody, clock, entries, sets }
}

async function makeShares(custody: Custody, shares = 3, threshold = 2): Promise<string[]> {
  await custody.createSet({ shares, threshold }, operatorActor)
  const texts: string[] = []
  for (let i = 0; i < shares; i++) {
    const taken = await custody.takeShare(custodian(i))
    texts.push(taken instanceof CustodyRefusal ? assert.fail(taken.reason) : taken.share)
  }
  return texts
}

function custodian(name: number | string): AuditActor {
  return { ...operatorActor, actor: `custodian:${String(name)}` }
}

/** By somebody else each time. */
async function enter(custody: Custody, share: string | undefined, purpose?: string): Promise<string> {
  const entered = await custody.enterShare(share ?? '', custodian((entering += 1)), purpose)
  return entered instanceof CustodyRefusal
    ? entered.reason
    : `${String(entered.received)} of ${String(entered.threshold)}${entered.isOpen ? ', open' : ''}`
}

test('shares that were entered are forgotten when the time of the ceremony is over, and the KEK opens within it', async () => {
  const { custody, clock } = openCustody()
  const [one, two] = await makeShares(custody)
  assert.equal(await enter(custody, one), '1 of 2')
  clock.advance(30 * minute)
  assert.deepEqual(custody.progress(), [])
  assert.equal(await enter(custody, two), '1 of 2')
  clock.advance(30 * minute - 1)
  assert.equal(await enter(custody, one), '2 of 2, open')
  assert.equal(custody.openKeks().length, 1)
})

test('a set whose shares are not all taken in time is forgotten and never stored', async () => {
  const { custody, clock, sets } = openCustody()
  await custody.createSet({ shares: 3, threshold: 2 }, operatorActor)
  for (let i = 0; i < 2; i++) await custody.takeShare(custodian(i))
  assert.equal((await custody.list())[0]?.untaken, 1)
  const again = await custody.createSet({ shares: 3, threshold: 2 }, operatorActor)
  assert.ok(again instanceof CustodyRefusal && again.reason === 'shares_being_taken')
  clock.advance(30 * minute)
  const late = await custody.takeShare(operatorActor)
  assert.ok(late instanceof CustodyRefusal && late.reason === 'no_shares_to_take')
  assert.deepEqual(sets, [])
})

test('every third wrong entry is followed by a pause that doubles, and a right share is not read meanwhile', async () => {
  const { custody, clock, entries } = openCustody()
  const [one, two] = await makeShares(custody)
  const typeWrongly = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) assert.equal(await enter(custody, 'ABCD'), 'share_malformed')
  }
  for (const seconds of [30, 60, 120]) {
    await typeWrongly()
    assert.equal(await enter(custody, one), 'share_backoff')
    clock.advance(seconds * 1000 - 1)
    assert.equal(await enter(custody, one), 'share_backoff')
    clock.advance(1)
  }
  assert.equal(await enter(custody, one), '1 of 2')
  assert.equal(await enter(custody, two), '2 of 2, open')
  assert.equal(entries.filter(({ action, outcome }) => action === 'share.entered' && outcome === 'refused').length, 9)
  assert.ok(entries.every(({ subject }) => !subject.includes(one ?? '')))
})

test('custodians of an open KEK agree to one purpose at a time, and shares for one count for no other', async () => {
  const { custody } = openCustody()
  const [one, two, three] = await makeShares(custody)
  assert.equal(await enter(custody, one, 'enroll b'), 'set_not_open')
  await enter(custody, one)
  await enter(custody, two)
  assert.equal(await enter(custody, three), 'set_open')
  assert.equal(await enter(custody, one, 'enroll b'), '1 of 2')
  assert.equal(await enter(custody, two, 'enroll c'), '1 of 2')
  assert.equal(await enter(custody, one, 'enroll b'), 'share_repeated')
  assert.equal(await enter(custody, three, 'enroll b'), '2 of 2, open')
})

test('a KEK that another node hands over opens only if it is that of the set', async () => {
  const { custody, sets } = openCustody()
  const shares = await makeShares(custody)
  for (const share of shares.slice(0, 2)) await enter(custody, share)
  const [opened] = custody.openSets()
  assert.ok(opened !== undefined)
  const raw = opened.key.export()
  const other = openCustody(sets).custody
  const { setId } = opened.set
  assert.equal(
    await other.adopt(
      setId,
      Uint8Array.from(raw, (byte) => byte ^ 1),
      operatorActor,
    ),
    false,
  )
  assert.equal(await other.adopt('00000000', raw, operatorActor), false)
  assert.deepEqual(other.openKeks(), [])
  assert.equal(await other.adopt(setId, raw, operatorActor), true)
  assert.equal(other.openKeks()[0]?.id, `shares-${setId}`)
})

test('custodians who take their shares at the same time get one each, and the set is stored once', async () => {
  const { custody, sets, entries } = openCustody()
  await custody.createSet({ shares: 3, threshold: 2 }, operatorActor)
  const taken = await Promise.all(['a', 'b', 'c', 'd'].map((name) => custody.takeShare(custodian(name))))
  assert.deepEqual(
    taken.map((each) => (each instanceof CustodyRefusal ? each.reason : each.index)),
    [1, 2, 3, 'no_shares_to_take'],
  )
  assert.equal(sets.length, 1)
  const subjects = entries.filter(({ action }) => action === 'share.taken').map(({ subject }) => subject.split('/')[1])
  assert.deepEqual(subjects, ['1', '2', '3'])
  const [one, , three] = taken.map((each) => ('share' in each ? each.share : ''))
  assert.deepEqual([await enter(custody, three), await enter(custody, one)], ['1 of 2', '2 of 2, open'])
})

test('a set is not stored when its last share cannot be shown, because the audit fails or the time is over', async () => {
  const fault = { isOn: false, runsLate: false }
  const { custody, sets, clock } = openCustody([], ({ action }) => {
    if (action !== 'share.taken') return
    if (fault.isOn) throw new Error('no audit')
    if (fault.runsLate) clock.advance(30 * minute)
  })
  await custody.createSet({ shares: 2, threshold: 2 }, operatorActor)
  await custody.takeShare(custodian('a'))
  fault.isOn = true
  await assert.rejects(custody.takeShare(custodian('b')), /no audit/)
  assert.deepEqual(sets, [])
  Object.assign(fault, { isOn: false, runsLate: true })
  const late = await custody.takeShare(custodian('b'))
  assert.ok(late instanceof CustodyRefusal && late.reason === 'no_shares_to_take')
  assert.deepEqual(sets, [])
})

test('one custodian name takes one share of a set, and enters one in a ceremony', async () => {
  const { custody } = openCustody()
  await custody.createSet({ shares: 2, threshold: 2 }, operatorActor)
  const first = await custody.takeShare(custodian('a'))
  const again = await custody.takeShare(custodian('a'))
  const second = await custody.takeShare(custodian('b'))
  assert.ok(again instanceof CustodyRefusal && again.reason === 'custodian_repeated' && again.detail === 'a')
  const [one, two] = [first, second].map((each) => ('share' in each ? each.share : assert.fail(each.reason)))
  await custody.enterShare(one ?? '', custodian('a'))
  const entered = await custody.enterShare(two ?? '', custodian('a'))
  assert.ok(entered instanceof CustodyRefusal && entered.reason === 'custodian_repeated')
  assert.equal(await enter(custody, two), '2 of 2, open')
})

test('keys leave a set only with as many of its shares as open it, for that KEK, and within the time of a ceremony', async () => {
  const { custody, clock, sets } = openCustody()
  const [one, two] = await makeShares(custody)
  await enter(custody, one)
  await enter(custody, two)
  const setId = sets[0]?.setId ?? assert.fail('no set')
  const inUse = new Set([`shares-${setId}`])
  assert.equal(custody.findDissent(new Set(['other']), 'next'), null)
  assert.equal(custody.findDissent(inUse, 'next'), setId)
  await enter(custody, one, rewrapPurpose('next'))
  assert.equal(custody.findDissent(inUse, 'next'), setId)
  assert.equal(await enter(custody, two, rewrapPurpose('next')), '2 of 2, open')
  assert.equal(custody.findDissent(inUse, 'next'), null)
  assert.equal(custody.findDissent(inUse, 'another'), setId)
  clock.advance(30 * minute)
  assert.equal(custody.findDissent(inUse, 'next'), setId)
})

test('no share is shown or read while a crash may write the memory to a disk', async () => {
  const dumps = { areOn: false }
  const { custody, entries } = openCustody([], undefined, () => dumps.areOn)
  const [one, two] = await makeShares(custody)
  assert.equal(await enter(custody, one), '1 of 2')
  await custody.createSet({ shares: 2, threshold: 2 }, operatorActor)
  const before = entries.length
  dumps.areOn = true
  assert.equal(await enter(custody, two), 'core_dumps_on')
  const taken = await custody.takeShare(custodian('a'))
  assert.ok(taken instanceof CustodyRefusal && taken.reason === 'core_dumps_on')
  assert.equal(entries.length, before)
})
