import { maskPhone } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardPageCheckGetContract,
  dashboardPageCheckListContract,
  dashboardPageCheckRunContract,
  dashboardPageCheckStopWatchingContract,
  dashboardScriptsReviewContract,
  dashboardScriptsListContract,
} from '@tessera/contract/operations/dashboard-page-check'
import type { Language } from '@tessera/contract/profile'

import { type ReviewedScript, type PageReport, writeSarif } from '../domain/page-check/page-check.ts'
import type { WatchedPage } from '../domain/page-check/page-readings.ts'
import { describeRules } from '../domain/page-check/rule-descriptions.ts'

import { operation } from './operation.ts'
import { signedInActor } from './dashboard-caller.ts'

/** Checks a page of the merchant: by its URL, or by its pasted source. */
export const dashboardPageCheckRun = operation(dashboardPageCheckRunContract, {
  async run({ url, html, locale }, ctx, { pageCheck }) {
    if ((url === undefined) === (html === undefined)) throw new RpcError('memberInvalid', { data: 'url' })
    const page = url === undefined ? { html: html ?? '' } : { url }
    return toPageReport(await pageCheck.run(ctx, page, signedInActor(ctx), ctx.signal), locale)
  },
})

/** Lists the last check of each page. */
export const dashboardPageCheckList = operation(dashboardPageCheckListContract, {
  run: async (_params, ctx, { pageCheck }) => ({
    checks: (await pageCheck.list(ctx)).map(({ page, checkedAt, errors, warnings, watch }) => {
      return { page, checkedAt, errors, warnings, watch: watch === null ? null : toWatchItem(watch) }
    }),
  }),
})

/** Returns the last check of one page. */
export const dashboardPageCheckGet = operation(dashboardPageCheckGetContract, {
  async run({ page, locale }, ctx, { pageCheck }) {
    const report = await pageCheck.get(ctx, page)
    return { report: report === null ? null : toPageReport(report, locale) }
  },
})

/** Stops reading a page again. */
export const dashboardPageCheckStopWatching = operation(dashboardPageCheckStopWatchingContract, {
  async run({ page }, ctx, { pageCheck }) {
    await pageCheck.stopWatching(ctx, page, signedInActor(ctx))
    return { success: true }
  },
})

/** Lists the inventory of the merchant's scripts. */
export const dashboardScriptsList = operation(dashboardScriptsListContract, {
  run: async (_params, ctx, { pageCheck }) => ({ scripts: (await pageCheck.scripts(ctx)).map(toScriptItem) }),
})

/** Stores the decision about a script, and its reason. */
export const dashboardScriptsReview = operation(dashboardScriptsReviewContract, {
  async run(input, ctx, { pageCheck }) {
    await pageCheck.review(ctx, input, signedInActor(ctx))
    return { success: true }
  },
})

/** A report with the rules that it names, in one language. */
export function toPageReport(report: PageReport, language: Language): Result<'dashboard.pageCheck.run'> {
  const { page, checkedAt, findings, scripts, isCut: isTruncated } = report
  return {
    page,
    checkedAt,
    scripts,
    isTruncated,
    findings: findings.map(({ rule, line, column, shown }) => ({ rule, line, column, shown })),
    rules: describeRules(new Set(findings.map(({ rule }) => rule)), language),
    sarif: writeSarif(report),
  }
}

function toWatchItem({ state, readAt, changedAt, changes }: WatchedPage) {
  return { state, readAt: readAt === 0 ? null : readAt, changedAt: changedAt === 0 ? null : changedAt, changes: [...changes] }
}

function toScriptItem(script: ReviewedScript): Result<'dashboard.scripts.list'>['scripts'][number] {
  const { scriptId, page, address, fingerprint, integrity, party, firstAt, lastAt, isGone, decision, isChanged, reason } = script
  return {
    scriptId,
    page,
    address,
    fingerprint,
    integrity,
    party,
    firstAt,
    lastAt,
    isGone,
    decision,
    isChanged,
    reason,
    reviewedBy: script.reviewerPhone === null ? null : maskPhone(script.reviewerPhone),
    reviewedAt: script.reviewedAt === 0 ? null : script.reviewedAt,
  }
}
