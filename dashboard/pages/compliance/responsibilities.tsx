import type { Result } from '@tessera/contract/methods'

import type { Asked } from '../../app/ask.ts'
import { Answer } from '../../parts/answer.tsx'
import { downloadCsv } from '../../parts/download.ts'
import { complianceText } from './compliance-text.ts'

type Matrix = Result<'dashboard.compliance.responsibilities'>

/** Who does what, requirement by requirement (PCI DSS 12.8.5, 12.9.2). */
export function Responsibilities({ asked }: { asked: Asked<Matrix> }) {
  const text = complianceText.now()
  const head = [text.requirement, text.topic, text.provider, text.merchant]
  return (
    <section>
      <h2 id="responsibilities" tabIndex={-1}>
        {text.parts.responsibilities}
      </h2>
      <p>{text.matrixAbout}</p>
      <Answer asked={asked}>
        {({ rows }) => (
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
      </Answer>
    </section>
  )
}

function save(head: readonly string[], rows: Matrix['rows']): void {
  const cells = rows.map(({ requirement, topic, provider, merchant }) => [requirement, topic, provider, merchant])
  downloadCsv('responsibilities.csv', head, cells)
}
