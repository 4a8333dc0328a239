import type { Clock } from '../clock.ts'
import { makeCardReports, type CardReportDependencies, type CardReports } from '../domain/reporting/cards.ts'
import { makeCodeReports, type CodeReports } from '../domain/reporting/verification-codes.ts'
import { makeFindCodeStory, type FindCodeStory } from '../domain/reporting/verification-story.ts'
import { policyOf } from '../domain/verification/policy.ts'

export interface CardReportOptions {
  readonly base: CardReportDependencies & { readonly clock: Pick<Clock, 'now'> }
  /** With the settings of verification, for the policy of a card. */
  readonly cards: Parameters<typeof policyOf>[0]['cards']
  readonly settings: Parameters<typeof policyOf>[0]['settings']
  /** For so many days messages are stored. */
  readonly smsDays: number
  readonly hasInbox: boolean
}

/** The reports of the dashboard about cards and their verification codes. */
export function createCardReports({ base, cards, settings, smsDays, hasInbox }: CardReportOptions): {
  readonly cardLists: CardReports
  readonly codeLists: CodeReports
  readonly findCodeStory: FindCodeStory
} {
  const cardLists = makeCardReports(base)
  return {
    cardLists,
    codeLists: makeCodeReports({ ...base, cardLists, hasInbox }),
    findCodeStory: makeFindCodeStory({
      store: base.store,
      now: () => base.clock.now(),
      policyOf: (card) => policyOf({ cards, settings }, card),
      smsDays,
    }),
  }
}
