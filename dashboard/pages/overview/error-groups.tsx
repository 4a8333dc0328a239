import type { DayPeriod } from '@tessera/contract/calendar-day'

import { dashboardPath } from '../../app/router.ts'
import { formatCount } from '../../format/numbers.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { overviewPageText } from '../../messages/page-texts.ts'
import { ReasonText } from '../../components/reason.tsx'
import type { OverviewData } from './overview-data.ts'
import { overviewLinks } from './overview-links.ts'

type ErrorGroup = OverviewData['errors'][number]

/** The errors that calls of the API ended with, by method and kind, each with its trend over the period and the number in the one before. */
export function ErrorGroups({ errors, period }: { errors: readonly ErrorGroup[]; period: DayPeriod }) {
  const text = overviewPageText.current()
  return (
    <section class="panel error-groups">
      <h2>{text.errors}</h2>
      {errors.length === 0 ? (
        <p class="none">{text.noErrors}</p>
      ) : (
        <div class="table plain" tabIndex={0} role="region" aria-label={text.errors}>
          <table>
            <thead>
              <tr>
                <th scope="col">{text.reason}</th>
                <th scope="col">{text.method}</th>
                <th scope="col" class="minor">
                  {text.trend}
                </th>
                <th scope="col" class="number">
                  {text.count}
                </th>
                <th scope="col" class="number minor">
                  {text.countBefore}
                </th>
              </tr>
            </thead>
            <tbody>
              {errors.map((group) => (
                <tr key={`${group.method} ${group.reason} ${String(group.code)}`}>
                  <td>
                    <ReasonText reason={group.reason} />
                  </td>
                  <td>
                    <a href={dashboardPath(overviewLinks.requests(period, { method: group.method, code: String(group.code) }))}>
                      <code>{group.method}</code>
                    </a>
                  </td>
                  <td class="minor">
                    <Trend steps={group.steps} />
                  </td>
                  <td class="number">{formatCount(group.count)}</td>
                  <td class="number minor">{formatCount(group.before)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

/** The counts of the steps as a line, without axes: the numbers are beside it. */
function Trend({ steps }: { steps: readonly number[] }) {
  const most = Math.max(1, ...steps)
  const width = 96 / Math.max(1, steps.length - 1)
  const points = steps.map((count, index) => `${(2 + index * width).toFixed(1)},${(22 - (20 * count) / most).toFixed(1)}`)
  const label = formatMessage(overviewPageText.current().most, most)
  return (
    <svg class="trend" viewBox="0 0 100 24" role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  )
}
