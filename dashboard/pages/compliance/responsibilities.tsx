import type { Result } from '@tessera/contract/methods'

import type { Asked } from '../../app/ask.ts'
import { download, writeCsv } from '../../parts/download.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Waiting } from '../../parts/table.tsx'
import { complianceText } from './compliance-text.ts'

type Matrix = Result<'dashboard.compliance.responsibilities'>

/** Who does what, requirement by requirement (PCI DSS 12.8.5, 12.9.2). */
export function Responsibilities({ asked }: { asked: Asked<Matrix> }) {
  const text = complianceText.now()
  const rows = asked.result.value?.rows ?? null
  const head = [text.requirement, text.topic, text.provider, text.merchant]
  return (
    <section>
      <h2 id="responsibilities" tabIndex={-1}>
        {text.parts.responsibilities}
      </h2>
      <p>{text.matrixAbout}</p>
      {rows === null && asked.refused.value === null && <Waiting />}
      <Refusal refused={asked.refused.value} onAgain={asked.again} />
      {rows !== null && (
        <>
          <div class="table matrix" tabIndex={0} role="region" aria-label={text.parts.responsibilities}>
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
                    <td>{requirement}</td>
                    <th scope="row">{topic}</th>
                    <td data-name={text.provider}>{provider}</td>
                    <td data-name={text.merchant}>{merchant}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p class="deeds">
            <button type="button" onClick={() => save(head, rows)}>
              {text.csv}
            </button>
          </p>
        </>
      )}
    </section>
  )
}

function save(head: readonly string[], rows: Matrix['rows']): void {
  const cells = rows.map(({ requirement, topic, provider, merchant }) => [requirement, topic, provider, merchant])
  download('responsibilities.csv', 'text/csv;charset=utf-8', writeCsv(head, cells))
}
