// time limit: 240 s
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'
import { makeScratch, startTesseraChild, type Started } from '../../testing/child.fixture.ts'

// The daily file of the sandbox network, compared with payments that were made there, on both stores.

const scratch = makeScratch()
let cluster: Cluster | null = null
after(() => cluster?.stop())

const stores = {
  sqlite: (): Promise<Started> => startTesseraChild(join(scratch, 'sqlite'), ['--network-timeout-ms=500']),
  async postgres(): Promise<Started> {
    cluster = await startCluster()
    return startTesseraChild(join(scratch, 'postgres'), ['--network-timeout-ms=500'], { TESSERA_DATABASE_URL: cluster.url })
  },
}

interface Report {
  readonly counts: Readonly<Record<string, number>>
  readonly differences: readonly { readonly kind: string; readonly key: string; readonly here: { readonly receiptId: string } | null }[]
}

interface PaidReceipt {
  readonly id: string
  readonly references: ReadonlyMap<string, string>
}

for (const [name, start] of Object.entries(stores)) {
  test(`the daily file of a network is compared with the payments of the day, and each difference is listed, on ${name}`, async () => {
    const service = await start()
    // A zone in which it is noon now, so that no midnight comes between the payments.
    const now = new Date()
    const date = now.toISOString().slice(0, 10)
    const hours = 12 - now.getUTCHours()
    const offset = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`
    const path = join(scratch, `${name}.csv`)
    const reconcile = async (lines: readonly string[], ...more: string[]) => {
      writeFileSync(path, ['RRN,AMT,kind', ...lines].join('\n'))
      const options = [
        '--card-network',
        'sandbox',
        '--offset',
        offset,
        '--columns',
        'reference=RRN,amount=AMT',
        ...(more.includes('--date') ? [] : ['--date', date]),
      ]
      const { code, out, err } = await service.ask('receipts', 'reconcile', path, ...options, ...more)
      return { code, out, err }
    }
    const paid = await payReceipt(service)
    const cancelled = await payReceipt(service, { isCancelled: true })
    const lines = [
      `${paid.references.get('authorize') ?? ''},500000,debit`,
      `${cancelled.references.get('authorize') ?? ''},500000,debit`,
      `${cancelled.references.get('refund') ?? ''},500000,refund`,
    ]

    const equal = await reconcile(lines)
    assert.equal(equal.code, 0, equal.out + equal.err)
    assert.match(equal.out, /No differences\.[^]*matched +3/)

    const [debit = '', , refund = ''] = lines
    const different = await reconcile([debit.replace('500000', '500001'), debit, 'RRN-none,1,debit', refund], '--json')
    assert.equal(different.code, 1, different.err)
    const { counts, differences } = JSON.parse(different.out) as Report
    assert.deepEqual(differences.map(({ kind, here }) => [kind, here?.receiptId ?? null]).sort(), [
      ['duplicate_there', paid.id],
      ['missing_here', null],
      ['missing_there', cancelled.id],
    ])
    assert.deepEqual([counts['lines'], counts['operations'], counts['matched']], [4, 3, 2])

    const reversed = await reconcile([...lines, debit.replace('debit', 'reversal')])
    assert.equal(reversed.code, 1, reversed.err)
    assert.match(reversed.out, /other_state .*reversal .*authorize .*approved/)

    const yesterday = await reconcile([], '--date', '2020-01-31')
    assert.equal(yesterday.code, 0, yesterday.out + yesterday.err)

    const malformed = await reconcile([debit, 'RRN-1,5000.00,debit'])
    assert.deepEqual([malformed.code, /Line 3: amount must be/.test(malformed.err)], [65, true], malformed.err)
    const leaky = await reconcile([debit, '8600069195406311,500000,debit'])
    assert.equal(leaky.code, 65)
    assert.match(leaky.err, /Line 3: cell 1 contains a card number/)
    assert.doesNotMatch(leaky.err + leaky.out, /8600069195406311/)
    const unknown = await reconcile(lines, '--card-network', 'nonesuch')
    assert.deepEqual([unknown.code, /no card network nonesuch/.test(unknown.err)], [64, true], unknown.err)

    const audit = await service.ask('audit', 'list', '--json')
    const entries = (JSON.parse(audit.out) as { entries: readonly { action: string; subject: string; actor: string }[] }).entries
    const reconciled = entries.filter(({ action }) => action === 'receipts.reconciled')
    assert.deepEqual(
      reconciled.map(({ subject, actor }) => [subject, actor]).sort(),
      [...Array.from({ length: 3 }, () => [`sandbox ${date}`, 'operator']), ['sandbox 2020-01-31', 'operator']].sort(),
    )
    await service.stop()
  })
}

/** A paid receipt with the network's reference of each operation, by kind. */
async function payReceipt(service: Started, { isCancelled = false } = {}): Promise<PaidReceipt> {
  const call = async (method: string, params: object) => {
    const { result, error } = (await service.call(method, params, true)).reply as { result?: Record<string, unknown>; error?: object }
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
    return result ?? {}
  }
  const { token } = (await call('cards.create', { card: { number: '8600069195406311', expire: '0399' }, save: true }))['card'] as {
    token: string
  }
  await call('cards.get_verify_code', { token })
  await call('cards.verify', { token, code: '666666' })
  const { _id: id } = (await call('receipts.create', { amount: 500_000, account: { order_id: '197' } }))['receipt'] as { _id: string }
  await call('receipts.pay', { id, token })
  if (isCancelled) await call('receipts.cancel', { id })
  for (;;) {
    const shown = await service.ask('receipts', 'show', id, '--json')
    const { operations } = JSON.parse(shown.out) as { operations: readonly { kind: string; state: string; networkRef: string }[] }
    const references = new Map(operations.filter(({ state }) => state === 'approved').map(({ kind, networkRef }) => [kind, networkRef]))
    if (references.size === (isCancelled ? 2 : 1)) return { id, references }
  }
}
