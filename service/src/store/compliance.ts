import type { AuditNote } from './audit.ts'

/** Something that a merchant's own code should not do, as the service saw it: how often and when, never what was sent. */
export interface FindingRow {
  readonly bucket: number
  readonly merchantId: string
  /** A word of ours. */
  readonly kind: string
  /** `server` proved to be the merchant by its password; `browser` named the merchant id alone, which anybody may. */
  readonly seenBy: 'server' | 'browser'
  readonly count: number
  /** Unix milliseconds. */
  readonly firstAt: number
  readonly lastAt: number
  /** Of the last time: the method, the page's origin or '', and the request as our log has it. */
  readonly method: string
  readonly origin: string
  readonly requestId: string
}

export interface ComplianceOf {
  readonly bucket: number
  readonly merchantId: string
}

/** The last check of one of a merchant's pages. */
export interface PageCheckRow extends ComplianceOf {
  /** Its address without query, or `pasted`. */
  readonly page: string
  readonly checkedAt: number
  readonly checkedBy: string
  readonly errors: number
  readonly warnings: number
  /** JSON; bounded by whoever makes it. */
  readonly report: string
}

/** A script that a check found on a page; whoever keeps it adds what was judged before. */
export interface SeenScript {
  readonly scriptId: string
  readonly address: string
  /** What it is: its hash, or the integrity that its page demands; '' where neither is known. */
  readonly print: string
  readonly integrity: string
  readonly party: 'first' | 'third'
}

export interface PageScriptRow extends SeenScript {
  readonly page: string
  readonly firstAt: number
  readonly lastAt: number
  readonly judged: 'open' | 'authorised' | 'refused'
  /** The merchant's own words: why the page needs it (PCI DSS 6.4.3). */
  readonly reason: string
  /** What it was when it was judged. */
  readonly judgedPrint: string
  readonly judgedBy: string
  readonly judgedAt: number
}

export interface KeepPageCheck {
  readonly check: PageCheckRow
  readonly scripts: readonly SeenScript[]
  /** Of one merchant; beyond, the oldest go. */
  readonly pagesMax: number
  readonly scriptsMax: number
}

export interface JudgeScript extends ComplianceOf, Pick<PageScriptRow, 'scriptId' | 'judged' | 'reason' | 'judgedBy' | 'judgedAt'> {
  /** What it was when the person looked at it. */
  readonly print: string
}

/** What a merchant shows an assessor: small tables, bounded for each merchant. */
export interface ComplianceStore {
  /** Adds counts to what is there, in one order everywhere. */
  addFindings(findings: readonly FindingRow[]): Promise<void>
  /** The latest first. */
  listFindings(of: ComplianceOf): Promise<FindingRow[]>
  /** Keeps the check in place of the page's last one. Scripts that are gone from the page and were never judged go. */
  keepPageCheck(keep: KeepPageCheck, audit: AuditNote): Promise<void>
  /** The latest first. */
  listPageChecks(of: ComplianceOf): Promise<PageCheckRow[]>
  /** By page, then by address. */
  listPageScripts(of: ComplianceOf): Promise<PageScriptRow[]>
  /** False when there is no such script, or it is another by now. */
  judgeScript(judged: JudgeScript, audit: AuditNote): Promise<boolean>
}
