import { auditSuite } from './suite/audit.suite.ts'
import { cardsSuite } from './suite/cards.suite.ts'
import { dashboardSuite } from './suite/dashboard.suite.ts'
import { complianceSuite } from './suite/compliance.suite.ts'
import { consentsSuite } from './suite/consents.suite.ts'
import { formsSuite } from './suite/forms.suite.ts'
import { idempotencySuite } from './suite/idempotency.suite.ts'
import { sandboxLedgerSuite } from './suite/sandbox-ledger.suite.ts'
import { lifecycleSuite } from './suite/lifecycle.suite.ts'
import { limitsSuite } from './suite/limits.suite.ts'
import { merchantsSuite } from './suite/merchants.suite.ts'
import { receiptListsSuite } from './suite/receipt-lists.suite.ts'
import { receiptSummariesSuite } from './suite/receipt-summaries.suite.ts'
import { receiptsSuite } from './suite/receipts.suite.ts'
import { extrasSuite } from './suite/extras.suite.ts'
import { sandboxSuite } from './suite/sandbox.suite.ts'
import type { WithStore } from './suite/opened.fixture.ts'
import { countersSuite } from './suite/counters.suite.ts'
import { verificationSuite } from './suite/verification.suite.ts'
import { formerClaimSuite } from './suite/former-claim.suite.ts'
import { replayFailedSuite } from './suite/replay-failed.suite.ts'
import { smsSendsSuite } from './suite/sms-sends.suite.ts'
import { webhooksSuite } from './suite/webhooks.suite.ts'

/** Tests that both stores have to pass. */
export function storeSuite(withStore: WithStore): void {
  merchantsSuite(withStore)
  cardsSuite(withStore)
  verificationSuite(withStore)
  limitsSuite(withStore)
  receiptsSuite(withStore)
  receiptListsSuite(withStore)
  receiptSummariesSuite(withStore)
  extrasSuite(withStore)
  idempotencySuite(withStore)
  sandboxLedgerSuite(withStore)
  webhooksSuite(withStore)
  formerClaimSuite(withStore)
  replayFailedSuite(withStore)
  dashboardSuite(withStore)
  countersSuite(withStore)
  formsSuite(withStore)
  consentsSuite(withStore)
  complianceSuite(withStore)
  auditSuite(withStore)
  sandboxSuite(withStore)
  smsSendsSuite(withStore)
  lifecycleSuite(withStore)
}
