import type { Start, StartCard } from '../dashboard/start.ts'

import type { Row } from './method.ts'

/** Tells what a merchant needs for its first token. */
export function dashboardStartGet({ facts, checklist }: Start): Row<'dashboard.start.get'>['run'] {
  return async (_params, { caller }) => {
    const { formOrigin, sdk, testing } = facts
    const { merchantId } = caller
    return {
      ...{ merchantId, formOrigin, sdk },
      demoPassword: testing?.demo.merchantId === merchantId ? testing.demo.password : null,
      testCards: testing === null ? [] : testing.cards.map((card) => showTestCard(card, testing.expire)),
      checklist: await checklist(caller),
    }
  }
}

function showTestCard({ number, sentBy, scenario }: StartCard, expire: string) {
  return { number, lastFour: number.slice(-4), expire, meaning: scenario?.name ?? 'success', sentBy }
}
