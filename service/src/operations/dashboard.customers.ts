import { dashboardCustomersGetContract, dashboardCustomersListContract } from '@tessera/contract/operations/dashboard-customers'

import { formatCursor, readCursor, toDashboardCard } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Lists the customers of the merchant's cards. */
export const dashboardCustomersList = operation(dashboardCustomersListContract, {
  async run({ after, count = 25 }, ctx, { dashboard }) {
    const { customers, next } = await dashboard.customers.list(ctx, { after: readCursor(after), count })
    return {
      customers: customers.map(({ newestCard, ...found }) => ({ ...found, newestCard: toDashboardCard(newestCard) })),
      next: formatCursor(next),
    }
  },
})

/** Returns what one customer has. A customer that the merchant does not know has nothing. */
export const dashboardCustomersGet = operation(dashboardCustomersGetContract, {
  async run({ customer }, ctx, { dashboard }) {
    const { cards, ...found } = await dashboard.customers.get(ctx, customer)
    return {
      ...found,
      cards: cards.map((card) => ({ ...toDashboardCard(card), consent: card.state === 'tampered' ? null : card.consent })),
    }
  },
})
