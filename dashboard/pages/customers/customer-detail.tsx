import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { useObjectTitle } from '../../app/object-title.ts'
import { dashboardPath } from '../../app/router.ts'
import { JsonDetails } from '../../components/details.tsx'
import { HiddenLink, RelatedLinks } from '../../components/links.tsx'
import { EmptyState, QueryResult } from '../../components/query-result.tsx'
import { DataTable } from '../../components/table.tsx'
import { Money, Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { cardPageText, customerPageText, reasonText, receiptPageText } from '../../messages/page-texts.ts'
import { CardStateTag } from '../cards/card-state.tsx'
import { receiptColumns } from '../receipts/receipt-columns.tsx'
import { titleOfCustomer } from './customer-title.ts'

type CustomerDetails = Result<'dashboard.customers.get'>

/** One customer: the sums of the payments, the cards with their consents, and the payments. */
export function CustomerDetail({ customer }: { customer: string }) {
  const query = useQuery('dashboard.customers.get', { customer })
  const payments = usePagedList(`payments ${customer}`, async (after) => {
    const { receipts, next } = await call('dashboard.receipts.list', { customer, after, count: 10 })
    return { rows: receipts, next }
  })
  const loading = useMessages(customerPageText, cardPageText, receiptPageText, reasonText)
  const name = customerPageText.isLoaded.value ? customerPageText.current().customer : ''
  useObjectTitle(`${name} ${customer}`, `${name} ${titleOfCustomer(customer)}`.trim())
  if (loading !== null) return loading
  const text = customerPageText.current()
  return (
    <QueryResult query={query}>
      {(details) =>
        details.cards.length === 0 && details.payments.count === 0 ? (
          <EmptyState {...text.noData} next="all" />
        ) : (
          <div class="stack">
            <PaymentSums payments={details.payments} />
            <section>
              <h2>{text.cards}</h2>
              <CustomerCards {...details} />
            </section>
            <section>
              <h2>{text.payments}</h2>
              <DataTable
                label={text.payments}
                list={payments}
                columns={receiptColumns(['status', 'amount', 'order', 'card', 'time'])}
                keyOf={({ receiptId }) => receiptId}
                empty={<EmptyState {...text.noPayments} next="none" />}
              />
              <p class="related">
                <HiddenLink path="receipts" hidden={{ customer }}>
                  {text.allPayments}
                </HiddenLink>
                <HiddenLink path="requests" hidden={{ customer }}>
                  {text.requests}
                </HiddenLink>
              </p>
            </section>
          </div>
        )
      }
    </QueryResult>
  )
}

function PaymentSums({ payments }: Pick<CustomerDetails, 'payments'>) {
  const text = customerPageText.current()
  const { count, paid, capturedTiyin, refundedTiyin, isComplete } = payments
  const sums = [
    [text.paid, capturedTiyin],
    [text.refunded, refundedTiyin],
    [text.net, capturedTiyin - refundedTiyin],
  ] as const
  return (
    <section class="panel">
      <dl class="sums">
        {sums.map(([name, tiyin]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Money tiyin={tiyin} />
            </dd>
          </div>
        ))}
      </dl>
      <small>
        {formatMessage(text.paymentsOf, paid, count)} {!isComplete && formatMessage(text.newestOnly, count)}
      </small>
    </section>
  )
}

function CustomerCards({ cards, hasMoreCards }: CustomerDetails) {
  const text = customerPageText.current()
  const cardText = cardPageText.current()
  if (cards.length === 0) return <EmptyState {...text.noCards} next="none" />
  return (
    <>
      <div class="table" tabIndex={0} role="region" aria-label={text.cards}>
        <table>
          <thead>
            <tr>
              <th scope="col">{cardText.number}</th>
              <th scope="col">{cardText.state}</th>
              <th scope="col" class="minor">
                {cardText.expiry}
              </th>
              <th scope="col">{cardText.created}</th>
              <th scope="col" class="minor">
                {text.consent}
              </th>
              <th scope="col" class="minor">
                {messages.value.related}
              </th>
            </tr>
          </thead>
          <tbody>
            {cards.map((card) => (
              <tr key={card.cardId}>
                <td>
                  <a href={dashboardPath(`cards/${card.cardId}`)} class="mask">
                    {card.number === '' ? card.cardId : card.number}
                  </a>
                </td>
                <td>
                  <CardStateTag card={card} />
                </td>
                <td class="minor">{card.expire}</td>
                <td>
                  <Time at={card.createdAt} isShort />
                </td>
                <td class="minor">
                  {card.consent === null ? (
                    text.noConsent
                  ) : (
                    <details>
                      <summary>
                        {text.consent} <span class="visually-hidden">{card.number}</span>
                      </summary>
                      <JsonDetails json={card.consent} />
                    </details>
                  )}
                </td>
                <td class="minor">
                  <span class="related">
                    <RelatedLinks kind="cards" id={card.cardId} />
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMoreCards && <p>{formatMessage(text.moreCards, cards.length)}</p>}
    </>
  )
}
