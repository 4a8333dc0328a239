import type { AuditEntry, AuditNote } from './audit.ts'
import type { CardKey, ListedCard } from './card.ts'
import type { ListedReceipt, OperationRow, ReceiptKey } from './money.ts'
import type {
  CodeEvent,
  CodeEventsAsk,
  Funnel,
  FunnelAsk,
  InboxAsk,
  InboxRow,
  SpanTally,
  Tally,
  TallyMove,
  TallyOf,
  TallySpan,
} from './tallies.ts'

/** A person of a merchant who signs in to the dashboard. */
export interface DashboardUserRow {
  readonly userId: string
  readonly merchantId: string
  /** Digits; one phone is one login. */
  readonly phone: string
  readonly role: 'read' | 'support' | 'developer' | 'owner'
  readonly state: 'active' | 'blocked'
  /** From 1; each change is one more. */
  readonly version: number
  /** The slow hash of the password with its figures and salt: `dashboard/passwords.ts` reads and writes it. */
  readonly verifier: string
  /** The password was issued for one sign-in. */
  readonly mustChange: boolean
  /** The secret of the second factor, sealed; null: none is asked for. */
  readonly totp: Uint8Array | null
  readonly createdAt: number
  /** Over all of the above. */
  readonly mac: Uint8Array
  /** Wrong tries since the last right one; these three are counted by conditional updates and stay outside the MAC. */
  readonly tries: number
  readonly lockedUntil: number
  /** The last step whose code was used, so that no code is good twice. */
  readonly totpStep: number
}

export interface DashboardSessionRow {
  readonly sessionId: string
  readonly userId: string
  readonly merchantId: string
  /** Keyed hash of the secret half of the cookie. */
  readonly hash: Uint8Array
  readonly pepperKeyId: string
  readonly csrf: string
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly userAgent: string
  readonly address: string
}

export interface ClaimTry {
  readonly userId: string
  readonly now: number
  readonly triesMax: number
  readonly lockMs: number
}

/** Where a list by time goes on: the last row of the page before. */
export interface TimePlace {
  readonly at: number
  readonly id: string
}

export interface CardsAsk {
  readonly bucket: number
  readonly merchantId: string
  readonly after: TimePlace | null
  readonly count: number
  /** Null: all of them. `digits` is the four last of the mask. */
  readonly by: { readonly lastFour: string } | { readonly customer: string } | null
}

export interface DeedsAsk {
  readonly merchantId: string
  /** `id` is the hash of the entry, hex. */
  readonly after: TimePlace | null
  readonly count: number
}

/** A receipt as the timeline of its card tells of it. */
export interface CardReceipt {
  readonly receiptId: string
  readonly state: number
  readonly amountTiyin: number
  readonly createdAt: number
  readonly payTime: number
}

/** What the dashboard asks: its users and sessions, small tables of their own keys, and lists by time. */
export interface DashboardStore {
  /** False when the phone or the id is taken. */
  insertDashboardUser(user: DashboardUserRow, audit: AuditNote): Promise<boolean>
  findDashboardUser(userId: string): Promise<DashboardUserRow | null>
  findDashboardUserByPhone(phone: string): Promise<DashboardUserRow | null>
  /** In the order of their ids. */
  listDashboardUsers(merchantId: string, after: string, count: number): Promise<DashboardUserRow[]>
  /** Puts `next` in place of version `next.version - 1`, and ends the user's sessions but `keeps`; false when that version is gone. */
  changeDashboardUser(next: DashboardUserRow, ends: { readonly keeps: string } | null, audit: AuditNote): Promise<boolean>
  /** Counts a try before it is evaluated; false while the login is locked. The last try that may be locks it. */
  claimSignInTry(claim: ClaimTry): Promise<boolean>
  /** The try was right: counts begin anew. With a step, only where it is newer than the last that was used. */
  clearSignInTries(userId: string, totpStep: number | null): Promise<boolean>
  /** Takes one try back: the password was right, and the code is still to come. */
  uncountSignInTry(userId: string): Promise<void>

  insertDashboardSession(session: DashboardSessionRow, audit: AuditNote): Promise<void>
  findDashboardSession(sessionId: string): Promise<DashboardSessionRow | null>
  touchDashboardSession(sessionId: string, now: number): Promise<void>
  /** Newest first. */
  listDashboardSessions(userId: string, count: number): Promise<DashboardSessionRow[]>
  /** Ends one session of a user, or all of them; tells how many. */
  endDashboardSessions(of: { readonly userId: string; readonly sessionId: string | null }, audit: AuditNote): Promise<number>
  /** Drops sessions that were last seen before a moment; tells how many. */
  dropDashboardSessions(before: number, stopping?: AbortSignal): Promise<number>

  /** Newest first, by (createdAt, cardId). */
  listCards(ask: CardsAsk): Promise<ListedCard[]>
  /** What people did, not calls nor the service by itself, newest first by (at, hash). */
  listDeeds(ask: DeedsAsk): Promise<AuditEntry[]>
  /** What the audit tells of a subject, the newest versions first. */
  listAuditOf(merchantId: string, subject: string, count: number): Promise<AuditEntry[]>
  /** As `findCard` and `findReceipt`; a row that is not what was written is told as such, and nothing is thrown. */
  lookAtCard(key: CardKey): Promise<ListedCard | null>
  lookAtReceipt(key: ReceiptKey): Promise<ListedReceipt | null>
  /** Newest first. */
  listReceiptsOfCard(card: CardKey, count: number): Promise<CardReceipt[]>
  /** The authorisations and holds that were refused to a card, newest first. */
  listRefusedOfCard(card: CardKey, count: number): Promise<OperationRow[]>

  /** Adds counts, and moves the place in an audit chain that they were counted up to; false, and nothing is added, when the place is another by now. */
  addTallies(tallies: readonly Tally[], move: TallyMove | null): Promise<boolean>
  listTallyPlaces(): Promise<{ chain: string; seq: number }[]>
  /** By step, then by name. */
  listTallies(span: TallySpan): Promise<SpanTally[]>
  /** Those of all time. */
  findTallies(of: TallyOf): Promise<{ name: string; count: number }[]>
  /** Drops what was counted before an hour; tells how many. */
  dropTallies(before: number, stopping?: AbortSignal): Promise<number>
  findFunnel(ask: FunnelAsk): Promise<Funnel>
  /** Newest first. */
  listCodeEvents(ask: CodeEventsAsk): Promise<CodeEvent[]>
  /** The sandbox's SMS of one merchant, newest first. */
  listInboxOf(ask: InboxAsk): Promise<InboxRow[]>
}
