import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { pageIdOf } from '../domain/page-check/page-readings.ts'
import { pageScriptsTable, savePageCheck } from '../store/page-checks.ts'
import { pageWatchesTable } from '../store/page-watches.ts'
import type { DashboardUser } from '../testing/dashboard-user.fixture.ts'
import type { TestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

// Pages and scripts that the calls of interrupted-calls.fixture.ts are about; each returns the params.

interface PageScene {
  readonly app: TestApp
  readonly shop: TestMerchant
  owner(): Promise<DashboardUser>
}

export async function watchedPage({ app, shop: { bucket, merchantId } }: PageScene): Promise<object> {
  const page = 'https://shop.example/pay'
  const watch = { bucket, merchantId, pageId: pageIdOf(page), page, state: 'new', baseline: '', changes: '[]' } as const
  const times = { reading: 1, failures: 0, dueAt: Number.MAX_SAFE_INTEGER, readAt: 0, changedAt: 0, mac: new Uint8Array(0) }
  const { seal } = makeRowAuthenticator(app.keyring, app.environment, pageWatchesTable)
  const checked = {
    bucket,
    merchantId,
    page,
    checkedAt: 1,
    checkedBy: '',
    errors: 0,
    warnings: 0,
    report: '{"findings":[],"scripts":0,"isCut":false}',
  }
  const by = { actor: 'system', action: 'page.checked', merchantId, subject: '', requestId: '', outcome: 'clean' }
  await app.store.write(savePageCheck, {
    check: checked,
    scripts: [],
    pagesMax: 9,
    scriptsMax: 9,
    replaced: [],
    watch: await seal({ ...watch, ...times }),
    audit: { ...by, at: 1, version: 0, mac: new Uint8Array(0) },
  })
  return { page }
}

export async function reviewedScript({ app, shop: { bucket, merchantId }, owner }: PageScene): Promise<object> {
  const { userId } = await owner()
  const { seal } = makeRowAuthenticator(app.keyring, app.environment, pageScriptsTable)
  const [page, scriptId, fingerprint] = ['https://shop.example/pay', '5c1'.padEnd(24, '0'), 'sha256-of-it']
  const seen = { firstAt: 1, lastAt: 1, scriptId, address: `${page}.js`, fingerprint, integrity: '', party: 'first' } as const
  const review = { reason: '', reviewedFingerprint: '', reviewedBy: '', reviewedAt: 0 }
  const unreviewed = { decision: 'open', ...review, mac: new Uint8Array(0) } as const
  await app.store.write(savePageCheck, {
    check: {
      bucket,
      merchantId,
      page,
      checkedAt: 1,
      checkedBy: userId,
      errors: 0,
      warnings: 0,
      report: '{"findings":[],"scripts":0,"isCut":false}',
    },
    scripts: [await seal({ ...unreviewed, ...seen, bucket, merchantId, page })],
    pagesMax: 9,
    scriptsMax: 9,
    replaced: [],
    watch: null,
    audit: {
      at: 1,
      actor: `user:${userId}`,
      action: 'page.checked',
      merchantId,
      subject: userId,
      version: 0,
      mac: new Uint8Array(0),
      requestId: '',
      outcome: 'ok',
    },
  })
  return { scriptId, fingerprint, decision: 'refused', reason: 'not ours' }
}
