import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeAuditSigner, readAuditPublicKeys } from '@tessera/vault/audit'
import type { Dek } from '@tessera/vault/dek'

import { type AuditRow, auditTable, listAuditEntries, listAuditHeads, listAuditOfSubject } from '../../store/audit.ts'
import { makeLinkHash } from '../../store/audit-chain.ts'
import type { Store } from '../../store/store.ts'
import type { StoreUnderTest, WithStore } from '../../store/suite/opened.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'

import { isSignedLine, readCheckpoint } from './checkpoint.ts'
import { verifyExport } from './verify-export.ts'
import { verifyChain } from './verify.ts'

/** What somebody does to the audit who writes the database of a running service and has no keys. */
export function keyedChainSuite(withStore: WithStore, dialect: 'sqlite' | 'postgres'): void {
  test(
    'entries that are edited, recomputed, cut off, added or put back behind a running service are found, and an untouched audit is clean',
    withStore(async (opened) => {
      const app = await createTestApp({ after }, { store: opened.store })
      await createCards(app, 6)
      assert.deepEqual(await findingsOf(app), [], 'the control')
      const attacker = makeAttacker(opened, dialect)
      await attacker.copy()
      const last = (await listAuditHeads(opened.store)).at(-1)?.seq ?? 0
      assert.ok(last >= 8)
      for (const [what, attack, expected] of [
        ['edited', () => attacker.change(4), { seq: 4, what: 'this entry, or the one before it, was changed' }],
        [
          'recomputed without a key',
          () => attacker.recompute(4, null),
          { seq: 4, what: 'this entry was not written by the service: it has no key' },
        ],
        ['recomputed from the first entry', () => attacker.recompute(1, null), { seq: 0, what: /audit\.chain_keyed\) was changed/ }],
        [
          'recomputed under a key of the attacker',
          () => attacker.recompute(4, foreignKey),
          { seq: 4, what: /a key that the key store does not have/ },
        ],
        [
          'recomputed under the id of the real key',
          () => attacker.recompute(4, 'forged'),
          { seq: 4, what: 'this entry, or the one before it, was changed' },
        ],
        ['deleted in the middle', () => attacker.deleteFrom(4, 4), { seq: 5, what: 'entries before this one are missing' }],
        ['cut off', () => attacker.deleteFrom(last - 1), { seq: last - 1, what: 'entries are missing at the end' }],
        ['deleted altogether', () => attacker.deleteFrom(1), { seq: 0, what: /audit\.chain_keyed\) was changed or deleted/ }],
        ['added', () => attacker.append(last), { seq: last + 1, what: 'this entry was not written by the service: it has no key' }],
      ] as const) {
        await attack()
        const [first] = await findingsOf(app)
        assert.ok(first !== undefined && first.kind === 'chain', what)
        assert.equal(first.seq, expected.seq, what)
        if (typeof expected.what === 'string') assert.equal(first.what, expected.what, what)
        else assert.match(first.what, expected.what, what)
        await attacker.restore()
        assert.deepEqual(await findingsOf(app), [], `${what}, and put back as it was`)
      }
    }),
  )

  test(
    'a tail that was cut off stays visible after the next entries, and the running service raises the alarm by itself',
    withStore(async (opened) => {
      const app = await createTestApp({ after }, { store: opened.store })
      await createCards(app, 4)
      await app.checkpoints.runOnce()
      await app.checkpoints.flush()
      await createCards(app, 2)
      const attacker = makeAttacker(opened, dialect)
      const [head] = opened.store.auditHeads()
      await attacker.deleteFrom((head?.seq ?? 0) - 1)
      await createCards(app, 1)
      assert.deepEqual((await findingsOf(app)).map((finding) => finding.kind === 'chain' && [finding.seq, finding.what]).slice(0, 1), [
        [(head?.seq ?? 0) + 1, 'entries before this one are missing'],
      ])
      app.clock.advance(10_000)
      await app.checkpoints.runOnce()
      // On the embedded store the next write has noticed it too.
      assert.ok(app.alarms.includes('audit_chain_broken undefined'))
      const entries = await opened.store.read(listAuditOfSubject('', `${head?.chain ?? ''} ${String((head?.seq ?? 0) + 1)}`, 9))
      assert.deepEqual(
        entries.map(({ action, outcome }) => [action, outcome]),
        [['audit.fault_found', 'gap']],
      )
    }),
  )

  test(
    'a running service that writes nothing raises the alarm too, when what it exported is gone',
    withStore(async (opened) => {
      const app = await createTestApp({ after }, { store: opened.store })
      await createCards(app, 3)
      await app.checkpoints.runOnce()
      await app.checkpoints.flush()
      app.clock.advance(10_000)
      await app.checkpoints.runOnce()
      assert.deepEqual(app.alarms, [], 'the control')
      const [head] = opened.store.auditHeads()
      await makeAttacker(opened, dialect).deleteFrom(head?.seq ?? 0)
      app.clock.advance(10_000)
      await app.checkpoints.runOnce()
      await app.checkpoints.flush()
      assert.ok(app.alarms.length > 0 && app.alarms.every((alarm) => alarm === 'audit_chain_broken undefined'), app.alarms.join())
    }),
  )

  test(
    'a chain that is cut off or rewritten while the service is stopped is found at the next start by the last checkpoint',
    withStore(async (opened) => {
      const folder = mkdtempSync(join(tmpdir(), 'tessera-checkpoints-'))
      after(() => rmSync(folder, { recursive: true }))
      const auditCheckpointFile = join(folder, 'checkpoints.jsonl')
      const first = await createTestApp({ after }, { store: opened.store, config: { auditCheckpointFile } })
      await createCards(first, 4)
      await first.checkpoints.runOnce()
      await first.checkpoints.flush()
      const start = async () => {
        const app = await createTestApp({ after }, { store: await opened.reopen(), continues: first, config: { auditCheckpointFile } })
        await app.checkpoints.runOnce()
        await app.checkpoints.flush()
        return app
      }
      const control = await start()
      assert.deepEqual([control.alarms, await findingsOf(control)], [[], []], 'the control')
      const attacker = makeAttacker(opened, dialect)
      const lastHeads = () => readCheckpoint(readFileSync(auditCheckpointFile, 'utf8').trim().split('\n').at(-1) ?? '')?.heads ?? []
      const [known] = lastHeads()
      const seq = known?.seq ?? 0
      await attacker.deleteFrom(seq - 1)
      const app = await start()
      assert.deepEqual(
        lastHeads().find(({ chain }) => chain === known?.chain),
        known,
        'what was signed before is not replaced by the shorter chain',
      )
      assert.ok(
        app.alarms.some((alarm) => alarm.startsWith('audit_chain_broken')),
        app.alarms.join(),
      )
      const [finding] = await findingsOf(app)
      assert.ok(finding?.kind === 'chain' && finding.seq >= seq - 1)
    }),
  )

  test(
    'an upgrade keeps the chains of before, ends them at one boundary entry, and refuses an entry without a key after it',
    withStore(async (opened) => {
      const before = await createTestApp({ after }, { store: opened.store })
      await createCards(before, 3)
      const attacker = makeAttacker(opened, dialect)
      // What the migration makes of entries from before: without a key, under the links of then.
      await attacker.recompute(1, null)
      const marked = hideBoundaryMark(before)
      const rows = await entriesOf(opened.store)
      // Today's fault, as the control of this suite: a chain without a key is recomputed, and nothing of it shows.
      await attacker.recompute(2, null)
      const chain = rows[0]?.chain ?? ''
      const unkeyed = { store: opened.store, keys: before.keyring, unkeyedUntil: rows.length }
      assert.deepEqual((await verifyChain(chain, unkeyed)).faults, [])

      const app = await createTestApp({ after }, { store: await opened.reopen(), continues: marked })
      await createCards(app, 2)
      attacker.use(app.store)
      const now = await entriesOf(app.store)
      assert.deepEqual([...new Set(now.slice(0, rows.length).map(({ keyId }) => keyId))], [''])
      assert.ok(now.slice(rows.length).every(({ keyId }) => keyId !== ''))
      assert.equal(now.filter(({ action, keyId }) => action === 'audit.chain_keyed' && keyId !== '').length, 1)
      assert.deepEqual(
        (await findingsOf(app)).filter(({ kind }) => kind === 'chain'),
        [],
      )
      await attacker.copy()
      for (const [attack, seq] of [
        [() => attacker.recompute(2, null, rows.length), rows.length],
        [() => attacker.append(now.length), now.length + 1],
        [() => attacker.recompute(rows.length + 1, null), 0],
      ] as const) {
        await attack()
        const [first] = await findingsOf(app)
        assert.ok(first?.kind === 'chain' && first.seq === seq, JSON.stringify(first))
        await attacker.restore()
      }
      // The mark is in the key store: a start writes no second boundary over what somebody deleted.
      await attacker.deleteFrom(rows.length + 1)
      const again = await createTestApp({ after }, { store: await opened.reopen(), continues: marked })
      assert.equal((await entriesOf(again.store)).filter(({ action, keyId }) => action === 'audit.chain_keyed' && keyId !== '').length, 0)
      assert.ok((await findingsOf(again)).some((finding) => finding.kind === 'chain' && /chain_keyed/.test(finding.what)))
    }),
  )

  test(
    'a signed export is verified with the public key alone, and every change of it is found',
    withStore(async ({ store }) => {
      const app = await createTestApp({ after }, { store })
      await createCards(app, 3)
      const [signing] = await app.auditArchive.publicKeys()
      const keys = readAuditPublicKeys(signing?.publicKey ?? '')
      const { line, heads } = await app.auditArchive.head()
      assert.ok(isSignedLine(keys, line))
      let text = `${line}\n`
      for (const { chain, seq } of heads) {
        text += (await app.auditArchive.segment(chain, 0, 4))?.text ?? ''
        text += (await app.auditArchive.segment(chain, 4, seq))?.text ?? ''
      }
      const verify = (changed: string, by = keys) => verifyExport(changed.trimEnd().split('\n'), by)
      const report = await verify(text)
      assert.deepEqual([report.findings, report.segments, report.entries], [[], 2, heads[0]?.seq])

      const lines = text.trimEnd().split('\n')
      const changed = (at: number, change: (line: string) => string): string =>
        lines.map((each, i) => (i === at ? change(each) : each)).join('\n')
      const without = (from: number, to = from): string => lines.filter((_, at) => at < from || at > to).join('\n')
      for (const [what, forged] of [
        ['an entry is edited', changed(3, (each) => each.replace('"outcome":"', '"outcome":"x'))],
        ['the last entry is removed', without(lines.length - 1)],
        ['an entry in the middle is removed', without(3)],
        ['the last segment is removed', without(6, lines.length)],
        ['the heads are removed', without(0)],
        ['the heads are edited', changed(0, (each) => each.replace('"seq":', '"seq":1'))],
        ['the header of a segment is edited', changed(1, (each) => each.replace('"fromSeq":1', '"fromSeq":2'))],
        ['entries are exchanged', [...lines.slice(0, 3), lines[4], lines[3], ...lines.slice(5)].join('\n')],
      ] as const) {
        assert.notEqual(forged, lines.join('\n'), what)
        assert.ok((await verify(forged)).findings.length > 0, what)
      }
      assert.equal((await verify(without(1, 5))).chains[0]?.fromSeq, 5, 'a part of a chain says where it begins')
      const foreign = readAuditPublicKeys(makeAuditSigner({ ...foreignKey, purpose: 'audit_signing' }).publicKey)
      assert.ok((await verify(text, foreign)).findings.length > 0, 'another key')
    }),
  )
}

async function createCards(app: TestApp, count: number): Promise<void> {
  const caller = app.merchant()
  for (let made = 0; made < count; made++) await caller.createToken('8600069195406311')
}

async function findingsOf(app: TestApp) {
  return (await app.verifyAudit()).findings
}

async function entriesOf(store: Store): Promise<AuditRow[]> {
  const [head] = await listAuditHeads(store)
  return store.read(listAuditEntries(head?.chain ?? '', 0, 1000))
}

/** Changes the table of the audit as somebody can who has its program and the database, but no keys. */
function makeAttacker({ store: first, raw }: StoreUnderTest, dialect: 'sqlite' | 'postgres') {
  let store = first
  const hex = (bytes: Uint8Array): string => {
    const text = Buffer.from(bytes).toString('hex')
    return dialect === 'sqlite' ? `x'${text}'` : `'\\x${text}'`
  }
  const run = (statement: string): Promise<unknown> => raw(statement)
  const write = async ({ chain, seq, outcome, keyId, hash }: AuditRow): Promise<void> => {
    await run(`update audit set outcome = '${outcome}', key_id = '${keyId}', hash = ${hex(hash)} where chain = '${chain}' and seq = ${seq}`)
  }
  return {
    /** Reads through this store from now on. */
    use: (reopened: Store) => void (store = reopened),
    copy: () => run('create table audit_copy as select * from audit'),
    async restore() {
      await run('delete from audit')
      await run(`insert into audit (${auditTable.columns}) select ${auditTable.columns} from audit_copy`)
    },
    async change(seq: number) {
      await run(`update audit set outcome = 'nothing' where seq = ${seq}`)
    },
    async deleteFrom(from: number, to = Number.MAX_SAFE_INTEGER) {
      await run(`delete from audit where seq between ${from} and ${to}`)
    },
    async append(last: number) {
      const row = (await entriesOf(store)).find(({ seq }) => seq === last)
      if (row === undefined) assert.fail('no entry')
      const added = { ...row, seq: last + 1, keyId: '', address: '', changes: '', outcome: 'removed' }
      const hash = makeLinkHash(null, row.hash, added)
      const columns = auditTable.names.map((name) =>
        name === 'seq'
          ? `${last + 1}`
          : name === 'hash'
            ? hex(hash)
            : name === 'outcome'
              ? "'removed'"
              : ['key_id', 'address', 'changes'].includes(name)
                ? "''"
                : name,
      )
      await run(`insert into audit (${auditTable.columns}) select ${columns.join(', ')} from audit where seq = ${last}`)
    },
    /** Changes an entry and recomputes the links of all later ones: without a key, under a key of the attacker, or naming the service's key. */
    async recompute(from: number, key: Dek | 'forged' | null, until = Infinity) {
      const rows = await entriesOf(store)
      let previous = rows.find(({ seq }) => seq === from - 1)?.hash ?? new Uint8Array(32)
      for (const row of rows.filter(({ seq }) => seq >= from && seq <= until)) {
        const keyId = key === 'forged' ? row.keyId : (key?.keyId ?? '')
        const unkeyed = key === null ? { address: '', changes: '' } : {}
        const changed = { ...row, ...unkeyed, keyId, outcome: row.seq === from ? `${row.outcome} again` : row.outcome }
        previous = makeLinkHash(key === 'forged' ? foreignKey : key, previous, changed)
        if (key === null) await run(`update audit set address = '', changes = '' where chain = '${row.chain}' and seq = ${row.seq}`)
        await write({ ...changed, hash: previous })
      }
    },
  }
}

/** The same keys without the mark of the boundary, until it is made again. */
function hideBoundaryMark({ keyring, clock, endpoint }: TestApp): Pick<TestApp, 'keyring' | 'clock' | 'endpoint'> {
  let isMarked = false
  return {
    clock,
    endpoint,
    keyring: {
      active: (purpose, owner) => {
        if (owner === 'chain_keyed') isMarked = true
        return keyring.active(purpose, owner)
      },
      byId: (keyId) => keyring.byId(keyId),
      previousOf: (dek) => keyring.previousOf(dek),
      rotate: (purpose, owner) => keyring.rotate(purpose, owner),
      destroy: (keyId) => keyring.destroy(keyId),
      destroyExpired: () => keyring.destroyExpired(),
      renewExpiring: () => keyring.renewExpiring(),
      wrappingKekId: () => keyring.wrappingKekId(),
      rewrap: (run) => keyring.rewrap(run),
      inspect: () => keyring.inspect(),
      read: () => keyring.read(),
      list: () => keyring.list().filter(({ owner }) => isMarked || owner !== 'chain_keyed'),
    },
  }
}

const foreignKey: Dek = {
  keyId: 'bb'.repeat(16),
  purpose: 'audit',
  owner: '',
  epoch: 1,
  createdAt: 0,
  key: createSecretKey(new Uint8Array(32).fill(7)),
}
