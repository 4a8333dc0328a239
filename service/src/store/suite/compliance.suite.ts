import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEntry, listAuditOfSubject } from '../audit.ts'
import { addFindings, type FindingRow, listFindings } from '../findings.ts'
import {
  listPageChecks,
  listPageScripts,
  type PageCheckResult,
  type PageScriptRow,
  reviewScript,
  savePageCheck,
  type ScannedScript,
} from '../page-checks.ts'
import type { Store } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

export function complianceSuite(withStore: WithStore): void {
  const of = { bucket, merchantId: sampleMerchantId }
  const other = { bucket, merchantId: 'f'.repeat(24) }
  const auditOf = (action: string, subject: string): AuditEntry => ({
    at: T0,
    actor: 'user:1',
    action,
    merchantId: sampleMerchantId,
    subject,
    version: 0,
    mac: new Uint8Array(0),
    requestId: '',
    outcome: 'ok',
  })
  const finding = (kind: string, lastAt: number, over: Partial<FindingRow> = {}): FindingRow => ({
    ...of,
    kind,
    seenBy: 'server',
    count: 1,
    firstAt: lastAt,
    lastAt,
    method: 'cards.check',
    origin: '',
    requestId: String(lastAt),
    ...over,
  })

  test(
    'findings of a kind are one row: counts add up, the first time stays, and the last time is the later of two reports',
    withStore(async ({ store }) => {
      await store.write(addFindings, {
        findings: [finding('a', 10, { count: 2, origin: 'https://shop\u0000' }), finding('a', 11, { seenBy: 'browser' })],
      })
      await store.write(addFindings, { findings: [finding('a', 30), finding('b', 40), finding('b', 40, other)] })
      await store.write(addFindings, { findings: [finding('a', 20, { count: 5, method: 'cards.verify' })] })
      const found = await store.read(listFindings(of))
      assert.deepEqual(
        found.map(({ kind, seenBy, count, firstAt, lastAt, method, origin, requestId }) => [
          kind,
          seenBy,
          count,
          firstAt,
          lastAt,
          method,
          origin,
          requestId,
        ]),
        [
          ['b', 'server', 1, 40, 40, 'cards.check', '', '40'],
          ['a', 'server', 8, 10, 30, 'cards.check', '', '30'],
          ['a', 'browser', 1, 11, 11, 'cards.check', '', '11'],
        ],
      )
      assert.equal((await store.read(listFindings(other))).length, 1)
    }),
  )

  const script = (name: string, fingerprint = 'p1'): ScannedScript => ({
    scriptId: name,
    address: name,
    fingerprint,
    integrity: '',
    party: 'third',
  })
  const reviewed = {
    decision: 'authorised',
    reason: 'takes the card',
    reviewedFingerprint: 'p1',
    reviewedBy: 'u',
    reviewedAt: 5,
    mac: bytesOf('reviewed', 48),
  } as const
  const toStored = (found: ScannedScript, page: string, at: number): PageScriptRow => ({
    ...of,
    ...found,
    page,
    firstAt: at,
    lastAt: at,
    decision: 'open',
    reason: '',
    reviewedFingerprint: '',
    reviewedBy: '',
    reviewedAt: 0,
    mac: bytesOf(`script ${found.scriptId}`, 48),
  })
  const save = (store: Store, page: string, checkedAt: number, scripts: readonly ScannedScript[], over: Partial<PageCheckResult> = {}) =>
    store.write(savePageCheck, {
      check: { ...of, page, checkedAt, checkedBy: 'u', errors: 1, warnings: 2, report: '{}' },
      scripts: scripts.map((each) => toStored(each, page, checkedAt)),
      pagesMax: 3,
      scriptsMax: 4,
      replaced: [],
      watch: null,
      ...over,
      audit: auditOf('page.checked', 'u'),
    })
  const scriptsOf = async (store: Store) =>
    (await store.read(listPageScripts(of))).map(({ scriptId, decision, fingerprint, reviewedFingerprint, firstAt, lastAt }) => [
      scriptId,
      decision,
      fingerprint,
      reviewedFingerprint,
      firstAt,
      lastAt,
    ])

  test(
    'a reviewed script stays in the inventory with its reason; one that was never reviewed is deleted when its page no longer has it',
    withStore(async ({ store }) => {
      await save(store, 'https://a', 1, [script('one'), script('two'), script('three')])
      const review = (name: string, over: Partial<PageScriptRow> = {}) =>
        store.write(reviewScript, {
          script: { ...toStored(script(name), 'https://a', 1), ...reviewed, ...over },
          previousMac: bytesOf(`script ${name}`, 48),
          audit: auditOf('script.authorized', name),
        })
      assert.equal(await review('one'), true)
      assert.equal(await review('one'), false, 'the row has another MAC now')
      assert.equal(await review('two', { reviewedFingerprint: 'another' }), false)
      assert.equal(await review('two', other), false)
      await save(store, 'https://a', 2, [script('three', 'p2')])
      assert.deepEqual(await scriptsOf(store), [
        ['one', 'authorised', 'p1', 'p1', 1, 1],
        ['three', 'open', 'p2', '', 1, 2],
      ])
      await save(store, 'https://a', 3, [script('one', 'p2')])
      assert.deepEqual(await scriptsOf(store), [['one', 'authorised', 'p2', 'p1', 1, 3]])
      assert.equal((await store.read(listPageScripts(of)))[0]?.reason, 'takes the card')
      assert.deepEqual(await store.read(listPageScripts(other)), [])
      const entries = await store.read(listAuditOfSubject(sampleMerchantId, 'one', 9))
      assert.deepEqual([entries.length, entries[0]?.action], [1, 'script.authorized'])
    }),
  )

  test(
    'of a merchant’s pages and scripts only the newest are stored, up to the limits',
    withStore(async ({ store }) => {
      for (let at = 1; at <= 5; at++) await save(store, `https://${String(at)}`, at, [script(`s${String(at)}`)])
      await save(store, 'https://4', 9, [script('s4')])
      assert.deepEqual(
        (await store.read(listPageChecks(of))).map(({ page, errors }) => [page, errors]),
        [
          ['https://4', 1],
          ['https://5', 1],
          ['https://3', 1],
        ],
      )
      assert.deepEqual(
        (await scriptsOf(store)).map(([name]) => name),
        ['s3', 's4', 's5'],
      )
      await save(
        store,
        'https://6',
        10,
        ['a', 'b', 'c', 'd', 'e'].map((name) => script(name)),
      )
      assert.equal((await scriptsOf(store)).length, 4)
      assert.deepEqual(await store.read(listPageChecks(other)), [])
    }),
  )
}
