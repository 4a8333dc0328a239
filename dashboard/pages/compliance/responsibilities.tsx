import type { Result } from '@tessera/contract/operations'

import { QueryResult } from '../../components/query-result.tsx'
import { DownloadButton } from '../../export/download-button.tsx'
import { downloadCsv } from '../../format/csv.ts'
import type { ApiQuery } from '../../hooks/use-query.ts'
import { compliancePageText } from '../../messages/page-texts.ts'

type ResponsibilityMatrix = Result<'dashboard.compliance.responsibilities'>

/** Who is responsible for what, by requirement (PCI DSS 12.8.5 and 12.9.2). */
export function ResponsibilitiesSection({ query }: { query: ApiQuery<ResponsibilityMatrix> }) {
  const text = compliancePageText.current()
  const head = [text.requirement, text.topic, text.provider, text.merchant]
  return (
    <section>
      <h2>{text.sections.responsibilities}</h2>
      <p>{text.matrixAbout}</p>
      <QueryResult query={query}>
        {({ rows }) => (
          <>
            <div class="table matrix" tabIndex={0} role="region" aria-label={text.sections.responsibilities}>
              <table>
                <thead>
                  <tr>
                    {head.map((name) => (
                      <th key={name} scope="col">
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ requirement, topic, provider, merchant }) => (
                    <tr key={requirement}>
                      <td>{/^\d/.test(requirement) ? `PCI DSS ${requirement}` : requirement}</td>
                      <th scope="row">{topic}</th>
                      <td data-name={text.provider}>{provider}</td>
                      <td data-name={text.merchant}>{merchant}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <p class="actions">
              <DownloadButton label={text.csv} list="responsibilities" format="csv" rows={rows.length} onSave={() => save(head, rows)} />
            </p>
          </>
        )}
      </QueryResult>
    </section>
  )
}

function save(head: readonly string[], rows: ResponsibilityMatrix['rows']): void {
  const cells = rows.map(({ requirement, topic, provider, merchant }) => [requirement, topic, provider, merchant])
  downloadCsv('responsibilities.csv', head, cells)
}
