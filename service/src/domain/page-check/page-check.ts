import { formatSarifReport } from '@tessera/form-check/report'
import { createHash } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../../clock.ts'
import type { MerchantCache } from '../merchants/merchant-cache.ts'
import type { AuditEntry } from '../../store/audit.ts'
import { findDashboardUser } from '../../store/dashboard-users.ts'
import type { MerchantKey } from '../../store/merchants.ts'
import {
  listPageChecks,
  listPageScripts,
  type PageCheckRow,
  type PageScriptRow,
  pageScriptsTable,
  reviewScript,
  savePageCheck,
} from '../../store/page-checks.ts'
import { endWatch } from '../../store/page-watches.ts'
import type { Store } from '../../store/store.ts'
import { keepValid, makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

import { isHtml, notChecked, type FetchPage } from './fetch-page.ts'
import { pageIdOf, type PageReadings, type WatchedPage } from './page-readings.ts'
import type { ParsePage } from './parse-page.ts'
import type { PageFinding, ParsedPage } from './parsed-page.ts'
import { severityOf } from './rule-descriptions.ts'

/** The stored result of the last check of a page. */
export interface PageReport {
  readonly page: string
  readonly checkedAt: number
  readonly findings: readonly PageFinding[]
  readonly scripts: number
  readonly isCut: boolean
}

/** A script of the inventory, as shown to users. */
export interface ReviewedScript extends PageScriptRow {
  readonly isGone: boolean
  /** It differs from what was reviewed, or its row was not written by this service: then it counts as not reviewed. */
  readonly isChanged: boolean
  /** Digits; null when the script is not reviewed or the reviewer no longer exists. */
  readonly reviewerPhone: string | null
}

export interface PageCheckActor {
  readonly userId: string
  readonly requestId: string
  readonly address: string
}

export interface ScriptReviewInput {
  readonly scriptId: string
  readonly fingerprint: string
  readonly decision: 'authorised' | 'refused'
  readonly reason: string
}

/** Checks the source of a merchant's pages against the rules for card forms, and stores an inventory of their scripts. */
export interface PageCheck {
  /** Throws `pageNotChecked` with the reason. */
  run(
    of: MerchantKey,
    input: { readonly url: string } | { readonly html: string },
    by: PageCheckActor,
    signal: AbortSignal,
  ): Promise<PageReport>
  list(of: MerchantKey): Promise<ListedPageCheck[]>
  get(of: MerchantKey, page: string): Promise<PageReport | null>
  /** Ends reading a page again, until it is checked by its address. Throws `memberInvalid` when it is not read again. */
  stopWatching(of: MerchantKey, page: string, by: PageCheckActor): Promise<void>
  scripts(of: MerchantKey): Promise<ReviewedScript[]>
  /** Throws `scriptChanged` when the script is gone or differs from the reviewed one. */
  review(of: MerchantKey, input: ScriptReviewInput, by: PageCheckActor): Promise<void>
}

/** The last check of a page, and what came of reading it again; null for a pasted one. */
export interface ListedPageCheck extends PageCheckRow {
  readonly watch: WatchedPage | null
}

export interface PageCheckDependencies extends VerifiedRowDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly merchants: Pick<MerchantCache, 'find'>
  readonly fetchPage: FetchPage
  readonly parse: ParsePage
  readonly readings: Pick<PageReadings, 'startWatch' | 'list'>
  /** Null: take the origin from the page; only in the test environment. */
  readonly formOrigin: string | null
}

export function makePageCheck({
  store,
  clock,
  merchants,
  fetchPage,
  parse,
  readings,
  formOrigin,
  ...deps
}: PageCheckDependencies): PageCheck {
  const rows = makeVerifiedRows(deps, pageScriptsTable)
  return Object.freeze<PageCheck>({
    async run({ bucket, merchantId }, input, { userId, requestId, address }, signal) {
      const source = 'url' in input ? await fetched(merchantId, input.url, signal) : pasted(input.html)
      const parsed = await parse({ ...source, formOrigin })
      const report = { page: source.page, checkedAt: clock.now(), ...toReport(parsed) }
      const { errors, warnings } = countOf(parsed.findings)
      const check = { bucket, merchantId, page: report.page, checkedAt: report.checkedAt, checkedBy: userId, errors, warnings }
      const scripts = await Promise.all(
        parsed.scripts.map(async ({ name, address, fingerprint, integrity, party }) => {
          const found = { scriptId: scriptIdOf(source.page, name), page: report.page, address, fingerprint, integrity, party }
          return rows.seal({ bucket, merchantId, ...found, firstAt: report.checkedAt, lastAt: report.checkedAt, ...noReview })
        }),
      )
      const outcome = errors + warnings === 0 ? 'clean' : 'violations_found'
      const action = { at: report.checkedAt, merchantId, userId, requestId, address, action: 'page.checked', subject: userId, outcome }
      await store.write(savePageCheck, {
        check: { ...check, report: JSON.stringify(toReport(parsed)) },
        scripts,
        watch: 'url' in input ? await readings.startWatch({ bucket, merchantId }, report.page, report.checkedAt) : null,
        replaced: await tamperedScripts({ bucket, merchantId }),
        pagesMax,
        scriptsMax,
        audit: auditEntryOf(action),
      })
      return report
    },
    async list({ bucket, merchantId }) {
      const [checks, watched] = await Promise.all([
        store.read(listPageChecks({ bucket, merchantId })),
        readings.list({ bucket, merchantId }),
      ])
      const watches = new Map(watched.map((watch) => [watch.page, watch]))
      return checks.map((check) => ({ ...check, watch: watches.get(check.page) ?? null }))
    },
    async get({ bucket, merchantId }, page) {
      const row = (await store.read(listPageChecks({ bucket, merchantId }))).find((check) => check.page === page)
      return row === undefined ? null : { page, checkedAt: row.checkedAt, ...(JSON.parse(row.report) as ReturnType<typeof toReport>) }
    },
    async stopWatching({ bucket, merchantId }, page, by) {
      const pageId = pageIdOf(page)
      const audit = auditEntryOf({ ...by, at: clock.now(), merchantId, action: 'page.watch_ended', subject: pageId, outcome: 'done' })
      if (!(await store.write(endWatch, { watch: { bucket, merchantId, pageId }, audit })))
        throw new RpcError('memberInvalid', { data: 'page' })
    },
    async scripts({ bucket, merchantId }) {
      const of = { bucket, merchantId }
      const [found, checks] = await Promise.all([store.read(listPageScripts(of)), store.read(listPageChecks(of))])
      const valid = new Set(await keepValid(rows, found))
      const phones = await phonesOf(merchantId, [...valid])
      const checkedAt = new Map(checks.map((check) => [check.page, check.checkedAt]))
      return found.map((row) => {
        if (!valid.has(row)) return { ...row, ...noReview, isGone: false, isChanged: true, reviewerPhone: null }
        return {
          ...row,
          isGone: row.lastAt < (checkedAt.get(row.page) ?? Infinity),
          isChanged: row.decision !== 'open' && row.fingerprint !== row.reviewedFingerprint,
          reviewerPhone: phones.get(row.reviewedBy) ?? null,
        }
      })
    },
    async review({ bucket, merchantId }, { scriptId, fingerprint, decision, reason }, { userId, requestId, address }) {
      const at = clock.now()
      const row = (await store.read(listPageScripts({ bucket, merchantId }))).find((script) => script.scriptId === scriptId)
      if (row === undefined || !(await rows.isValid(row, requestId))) throw new RpcError('scriptChanged', { data: 'scriptId' })
      const review = { decision, reason: reason.trim(), reviewedFingerprint: fingerprint, reviewedBy: userId, reviewedAt: at }
      const script = await rows.seal({ ...row, ...review })
      const action = { at, merchantId, userId, requestId, address, action: actionOf[decision], subject: scriptId, outcome: 'done' }
      if (!(await store.write(reviewScript, { script, previousMac: row.mac, audit: auditEntryOf(action) })))
        throw new RpcError('scriptChanged', { data: 'scriptId' })
    },
  })

  /** Scripts whose row was not written by this service: their reviews count no longer, and a check of their page writes them anew. */
  async function tamperedScripts(of: MerchantKey): Promise<string[]> {
    const found = await store.read(listPageScripts(of))
    const valid = new Set(await keepValid(rows, found))
    return found.filter((row) => !valid.has(row)).map(({ scriptId }) => scriptId)
  }

  async function fetched(merchantId: string, address: string, signal: AbortSignal) {
    const merchant = await merchants.find(merchantId)
    const { url, text, policies } = await fetchPage(address, merchant?.settings.origins ?? [], signal)
    return { page: `${url.origin}${url.pathname}`.slice(0, pageLengthMax), text, policies, origin: url.origin }
  }

  /** Reads each user once. */
  async function phonesOf(merchantId: string, rows: readonly PageScriptRow[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(rows.map(({ reviewedBy }) => reviewedBy))].filter((id) => id !== '')
    const users = await Promise.all(ids.map((id) => store.read(findDashboardUser(id))))
    return new Map(users.flatMap((user) => (user?.merchantId === merchantId ? [[user.userId, user.phone]] : [])))
  }
}

function pasted(html: string) {
  if (!isHtml(html)) throw notChecked('not_html')
  return { page: pastedPage, text: html, policies: [], origin: null }
}

function toReport({ findings, scripts, isCut }: ParsedPage): Omit<PageReport, 'page' | 'checkedAt'> {
  return { findings, scripts: scripts.length, isCut }
}

function countOf(findings: readonly PageFinding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ rule }) => severityOf(rule) === 'error').length
  return { errors, warnings: findings.length - errors }
}

/** A script of a page keeps its row from check to check. */
function scriptIdOf(page: string, name: string): string {
  return createHash('sha256').update(`${page}\n${name}`).digest('hex').slice(0, 24)
}

interface PageAction extends Pick<AuditEntry, 'at' | 'merchantId' | 'action' | 'subject' | 'outcome' | 'requestId' | 'address'> {
  readonly userId: string
}

function auditEntryOf({ userId, ...action }: PageAction): AuditEntry {
  return { ...action, actor: `user:${userId}`, version: 0, mac: new Uint8Array(0) }
}

const noReview = { decision: 'open', reason: '', reviewedFingerprint: '', reviewedBy: '', reviewedAt: 0, mac: new Uint8Array(0) } as const
const actionOf = Object.freeze({ authorised: 'script.authorized', refused: 'script.refused' } as const)
/** The stored name of a page submitted as HTML without an address. */
export const pastedPage = 'pasted'
const pageLengthMax = 500
const pagesMax = 20
const scriptsMax = 300

/** The report as SARIF 2.1.0 (OASIS), the same as the command-line tool prints. */
export function writeSarif({ page, findings }: PageReport): string {
  const placed = findings.map((finding) => ({ ...finding, path: page, half: 'source' as const, selector: null, text: '' }))
  return JSON.stringify(formatSarifReport({ target: page, pages: [page], live: null, findings: placed, scripts: [], notes: [] }), null, 2)
}
