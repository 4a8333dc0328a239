import { createHash } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'

import type { Clock } from '../clock.ts'
import type { MerchantBook } from '../merchants/book.ts'
import type { AuditNote, ComplianceOf, PageCheckRow, PageScriptRow, Store } from '../store/store.ts'

import { isHtml, notChecked, type FetchPage } from './fetch-page.ts'
import type { Parse } from './parse.ts'
import type { PageFinding, ParsedPage } from './parsed.ts'
import { severityOf } from './rule-words.ts'

/** The last check of a page, as it is kept. */
export interface PageReport {
  readonly page: string
  readonly checkedAt: number
  readonly findings: readonly PageFinding[]
  readonly scripts: number
  readonly isCut: boolean
}

/** A script of the inventory, as people look at it. */
export interface InventoryScript extends PageScriptRow {
  readonly isGone: boolean
  readonly isChanged: boolean
  /** Digits; null where there is no such user any more, or nobody judged it. */
  readonly judgedByPhone: string | null
}

export interface CheckBy {
  readonly userId: string
  readonly requestId: string
}

export interface Judgement {
  readonly scriptId: string
  readonly print: string
  readonly judged: 'authorised' | 'refused'
  readonly reason: string
}

/** Holds the merchant's pages against the rules for card forms, by their source, and keeps what scripts they run. */
export interface PageCheck {
  /** Throws `pageNotChecked` with a word for why. */
  run(of: ComplianceOf, asked: { readonly url: string } | { readonly html: string }, by: CheckBy, signal: AbortSignal): Promise<PageReport>
  list(of: ComplianceOf): Promise<PageCheckRow[]>
  get(of: ComplianceOf, page: string): Promise<PageReport | null>
  scripts(of: ComplianceOf): Promise<InventoryScript[]>
  /** Throws `scriptChanged` where the script is gone or another than was looked at. */
  judge(of: ComplianceOf, judgement: Judgement, by: CheckBy): Promise<void>
}

export interface PageCheckParts {
  readonly store: Pick<Store, 'keepPageCheck' | 'listPageChecks' | 'listPageScripts' | 'judgeScript' | 'findDashboardUser'>
  readonly clock: Pick<Clock, 'now'>
  readonly merchants: Pick<MerchantBook, 'find'>
  readonly fetchPage: FetchPage
  readonly parse: Parse
  /** Null: as the page says, in the test environment. */
  readonly formOrigin: string | null
}

export function makePageCheck({ store, clock, merchants, fetchPage, parse, formOrigin }: PageCheckParts): PageCheck {
  return Object.freeze<PageCheck>({
    async run({ bucket, merchantId }, asked, { userId, requestId }, signal) {
      const source = 'url' in asked ? await fetched(merchantId, asked.url, signal) : pasted(asked.html)
      const parsed = await parse({ ...source, formOrigin })
      const report = { page: source.page, checkedAt: clock.now(), ...told(parsed) }
      const { errors, warnings } = countOf(parsed.findings)
      const check = { bucket, merchantId, page: report.page, checkedAt: report.checkedAt, checkedBy: userId, errors, warnings }
      const scripts = parsed.scripts.map(({ name, ...script }) => ({ scriptId: scriptIdOf(source.page, name), ...script }))
      const outcome = errors + warnings === 0 ? 'clean' : 'broken'
      const deed = { at: report.checkedAt, merchantId, userId, requestId, action: 'page.checked', subject: userId, outcome }
      await store.keepPageCheck({ check: { ...check, report: JSON.stringify(told(parsed)) }, scripts, pagesMax, scriptsMax }, noteOf(deed))
      return report
    },
    list: ({ bucket, merchantId }) => store.listPageChecks({ bucket, merchantId }),
    async get({ bucket, merchantId }, page) {
      const row = (await store.listPageChecks({ bucket, merchantId })).find((check) => check.page === page)
      return row === undefined ? null : { page, checkedAt: row.checkedAt, ...(JSON.parse(row.report) as ReturnType<typeof told>) }
    },
    async scripts({ bucket, merchantId }) {
      const of = { bucket, merchantId }
      const [rows, checks] = await Promise.all([store.listPageScripts(of), store.listPageChecks(of)])
      const phones = await phonesOf(merchantId, rows)
      const checkedAt = new Map(checks.map((check) => [check.page, check.checkedAt]))
      return rows.map((row) => ({
        ...row,
        isGone: row.lastAt < (checkedAt.get(row.page) ?? Infinity),
        isChanged: row.judged !== 'open' && row.print !== row.judgedPrint,
        judgedByPhone: phones.get(row.judgedBy) ?? null,
      }))
    },
    async judge({ bucket, merchantId }, { scriptId, print, judged, reason }, { userId, requestId }) {
      const at = clock.now()
      const row = { bucket, merchantId, scriptId, print, judged, reason: reason.trim(), judgedBy: userId, judgedAt: at }
      const deed = { at, merchantId, userId, requestId, action: actionOf[judged], subject: scriptId, outcome: 'done' }
      if (!(await store.judgeScript(row, noteOf(deed)))) throw new RpcError('scriptChanged', { data: 'scriptId' })
    },
  })

  async function fetched(merchantId: string, address: string, signal: AbortSignal) {
    const merchant = await merchants.find(merchantId)
    const { url, text, policies } = await fetchPage(address, merchant?.settings.origins ?? [], signal)
    return { page: `${url.origin}${url.pathname}`.slice(0, pageLengthMax), text, policies, origin: url.origin }
  }

  /** Each user is asked for once. */
  async function phonesOf(merchantId: string, rows: readonly PageScriptRow[]): Promise<ReadonlyMap<string, string>> {
    const ids = [...new Set(rows.map(({ judgedBy }) => judgedBy))].filter((id) => id !== '')
    const users = await Promise.all(ids.map((id) => store.findDashboardUser(id)))
    return new Map(users.flatMap((user) => (user?.merchantId === merchantId ? [[user.userId, user.phone]] : [])))
  }
}

function pasted(html: string) {
  if (!isHtml(html)) throw notChecked('not_html')
  return { page: pastedPage, text: html, policies: [], origin: null }
}

function told({ findings, scripts, isCut }: ParsedPage): Omit<PageReport, 'page' | 'checkedAt'> {
  return { findings, scripts: scripts.length, isCut }
}

function countOf(findings: readonly PageFinding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ rule }) => severityOf(rule) === 'error').length
  return { errors, warnings: findings.length - errors }
}

/** The same script of the same page is one row, from check to check. */
function scriptIdOf(page: string, name: string): string {
  return createHash('sha256').update(`${page}\n${name}`).digest('hex').slice(0, 24)
}

interface DeedOf extends Pick<AuditNote, 'at' | 'merchantId' | 'action' | 'subject' | 'outcome' | 'requestId'> {
  readonly userId: string
}

function noteOf({ userId, ...deed }: DeedOf): AuditNote {
  return { ...deed, actor: `user:${userId}`, version: 0, mac: new Uint8Array(0) }
}

const actionOf = Object.freeze({ authorised: 'script.authorised', refused: 'script.refused' } as const)
/** Under which name a page is kept that nobody gave an address of. */
export const pastedPage = 'pasted'
const pageLengthMax = 500
const pagesMax = 20
const scriptsMax = 300
