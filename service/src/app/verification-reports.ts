import { makeCardReports } from '../domain/reporting/cards.ts'
import { makeCodeReports, type CodeReports } from '../domain/reporting/verification-codes.ts'
import { makeTellCodeStory, type TellCodeStory } from '../domain/reporting/verification-story.ts'
import type { CardReportDependencies } from '../domain/reporting/cards.ts'
import { policyOf } from '../domain/verification/policy.ts'
import type { Clock } from '../clock.ts'

export interface VerificationReportDependencies {
  readonly base: CardReportDependencies & { readonly clock: Pick<Clock, 'now'> }
  /** With the settings of verification, for the policy of a card. */
  readonly cards: Parameters<typeof policyOf>[0]['cards']
  readonly settings: Parameters<typeof policyOf>[0]['settings']
  /** For so many days messages are stored. */
  readonly smsDays: number
  readonly hasInbox: boolean
}

/** What the dashboard tells of verification codes. */
export function createVerificationReports({ base, cards, settings, smsDays, hasInbox }: VerificationReportDependencies): {
  readonly codeLists: CodeReports
  readonly tellCodeStory: TellCodeStory
} {
  return {
    codeLists: makeCodeReports({ ...base, cardLists: makeCardReports(base), hasInbox }),
    tellCodeStory: makeTellCodeStory({
      store: base.store,
      now: () => base.clock.now(),
      policyOf: (card) => policyOf({ cards, settings }, card),
      smsDays,
    }),
  }
}
