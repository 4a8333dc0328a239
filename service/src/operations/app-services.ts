import type { Result } from '@tessera/contract/operations'

import type { Controls } from '../adapters/sandbox/controls.ts'
import type { Sandbox } from '../adapters/sandbox/sandbox.ts'
import type { Clock } from '../clock.ts'
import type { CardServices } from '../domain/cards/services.ts'
import type { ClockAdministration } from '../domain/clock-administration.ts'
import type { CollectEvidence } from '../domain/compliance/evidence.ts'
import type { MerchantPacks } from '../domain/compliance/merchant-packs.ts'
import type { Consents, RecentConsents } from '../domain/consents/consents.ts'
import type { Custody } from '../domain/custody/custody.ts'
import type { CustodyAudit } from '../domain/custody/custody-audit.ts'
import type { EnrolledNodes } from '../domain/custody/enrolled-nodes.ts'
import type { Disclosures } from '../domain/consents/disclosures.ts'
import type { FormDocumentTokens } from '../domain/form-sessions/form-document-token.ts'
import type { FormSessions } from '../domain/form-sessions/form-sessions.ts'
import type { HostedSessions } from '../domain/form-sessions/hosted.ts'
import type { FormSessionRows } from '../domain/form-sessions/rows.ts'
import type { KekRegistry } from '../domain/keys/kek-registry.ts'
import type { KeyAdministration } from '../domain/keys/key-administration.ts'
import type { FailureBreaker } from '../domain/limits/failure-breaker.ts'
import type { FineLimits } from '../domain/limits/fine-limits.ts'
import type { MerchantEndpointAdministration } from '../domain/merchants/merchant-endpoint.ts'
import type { Merchants } from '../domain/merchants/merchants.ts'
import type { Reset } from '../domain/merchants/reset.ts'
import type { PageCheck } from '../domain/page-check/page-check.ts'
import type { ReceiptAdministration } from '../domain/payments/administration.ts'
import type { NetworkDay } from '../domain/payments/network-day.ts'
import type { Receipts } from '../domain/payments/receipts.ts'
import type { CardReports } from '../domain/reporting/cards.ts'
import type { GettingStartedGuide } from '../domain/reporting/getting-started.ts'
import type { BuildOverview } from '../domain/reporting/overview.ts'
import type { CodeReports } from '../domain/reporting/verification-codes.ts'
import type { FindCodeStory } from '../domain/reporting/verification-story.ts'
import type { WebhookReports } from '../domain/reporting/webhooks.ts'
import type { SmsAdministration } from '../domain/sms/sms-administration.ts'
import type { Dashboard } from '../domain/users/dashboard.ts'
import type { Verification } from '../domain/verification/verification.ts'
import type { WebhookEndpointAdministration } from '../domain/webhooks/endpoints.ts'
import type { AuditArchive } from '../ops/audit/archive.ts'
import type { BackupRecord } from '../ops/audit/backup-entry.ts'
import type { RunStoreCheck } from '../ops/audit/run-check.ts'
import type { RequestLists } from '../ops/request-log/request-lists.ts'
import type { RunStoreMove } from '../store/move/move-store.ts'
import type { InboxRow } from '../store/sandbox.ts'

/** What operations run on, by the names under which they call it. `app/services.ts` makes it. */
export interface AppServices {
  readonly environment: string
  readonly clock: Clock
  /** The machine's clock, which the time of the sandbox does not move. */
  readonly machineClock: Clock
  readonly limits: { readonly fine: FineLimits; readonly failures: FailureBreaker }

  readonly cards: CardServices
  readonly verification: Verification
  readonly receipts: Receipts
  readonly merchants: Merchants
  readonly consents: Consents & RecentConsents
  readonly disclosures: Disclosures

  readonly sessions: FormSessions
  readonly formSessionRows: FormSessionRows
  readonly hosted: HostedSessions
  readonly formDocuments: FormDocumentTokens
  /** Whether this is the origin of the card form. */
  readonly isFormOrigin: (origin: string) => boolean
  /** The address of the hosted page of a session. */
  readonly pageOf: (of: { readonly merchantId: string; readonly session: string; readonly locale: string | null }) => string

  readonly dashboard: Dashboard
  readonly cardLists: CardReports
  readonly codeLists: CodeReports
  readonly findCodeStory: FindCodeStory
  readonly requestLists: RequestLists
  readonly overview: BuildOverview
  readonly startPage: GettingStartedGuide
  readonly endpoints: WebhookEndpointAdministration
  readonly webhookReports: WebhookReports
  readonly pageCheck: PageCheck
  readonly evidence: CollectEvidence
  readonly merchantPacks: MerchantPacks

  readonly readReadiness: () => Promise<Result<'operator.status.get'>>
  readonly clockAdministration: ClockAdministration
  readonly keys: KeyAdministration
  /** KEKs that custodians hold in shares. */
  readonly custody: Custody
  /** Null where it is not set up. */
  readonly handOver: { fetch(sets: readonly string[]): Promise<string[]> } | null
  /** Nodes that custodians enrolled. Null while the service is sealed. */
  readonly nodes: EnrolledNodes | null
  readonly custodyAudit: Pick<CustodyAudit, 'record'>
  /** Null while the service is sealed. */
  readonly keks: Pick<KekRegistry, 'update'> | null
  /** The cryptoperiod of the KEK, milliseconds. */
  readonly kekAgeMaxMs: number
  readonly storeCheck: RunStoreCheck
  readonly storeMove: RunStoreMove
  /** Verifies the copy in a folder, on PostgreSQL the database itself (null), and signs the manifest of the backup, a line. Throws the refusals `copy_broken` and `copy_unreadable`. */
  readonly signBackup: (
    folder: string | null,
  ) => Promise<Readonly<Record<'entries' | 'answers' | 'rows', number>> & { readonly line: string }>
  /** Writes the audit entry of a backup. */
  readonly recordBackup: (record: BackupRecord, requestId: string) => Promise<void>
  readonly auditArchive: AuditArchive
  readonly smsSends: SmsAdministration
  readonly merchantEndpoints: MerchantEndpointAdministration
  readonly receiptAdministration: ReceiptAdministration
  readonly networkDay: NetworkDay

  /** These exist in the test environment only. */
  readonly sandbox: Sandbox | null
  readonly controls: Controls | null
  readonly reset: Reset | null
  /** The newest SMS of the sandbox, of all merchants. */
  readonly listSandboxInbox: (count: number) => Promise<InboxRow[]>
}
