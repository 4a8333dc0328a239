import { dashboardPath } from '../../app/router.ts'
import { SignIcon } from '../../components/icons.tsx'
import { Tag, type Tone } from '../../components/values.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { compliancePageText } from '../../messages/page-texts.ts'
import { type ChecklistData, type CheckState, complianceChecks, type ComplianceCheck, listComplianceChecks } from './checklist-state.ts'

/** What PCI DSS, the law and the specification ask of the merchant: each requirement by its number and in plain words, its state, and what to do. */
export function ComplianceChecklist({ data }: { data: ChecklistData }) {
  const text = compliancePageText.current()
  const rows = listComplianceChecks(data)
  const done = rows.filter(({ state }) => state === 'done').length
  return (
    <section aria-labelledby="checklist">
      <h2 id="checklist">
        {text.sections.checklist} <small>{formatMessage(text.doneOf, done, rows.length)}</small>
      </h2>
      <ul class="requirements panel">
        {rows.map((row) => (
          <Requirement key={row.name} {...row} />
        ))}
      </ul>
    </section>
  )
}

function Requirement({ name, state, path }: ComplianceCheck) {
  const text = compliancePageText.current()
  const { title, done, todo, link } = text.checks[name]
  const number = complianceChecks[name]
  return (
    <li class={state}>
      <SignIcon name={state === 'done' ? 'done' : state === 'todo' ? 'warning' : 'open'} />
      <div>
        <small>{number === '' ? text.notOfPci : `PCI DSS 4.0.1 · ${number}`}</small>
        <h3>{title}</h3>
        <p>{state === 'todo' ? todo : state === 'done' ? done : text.notLoaded}</p>
      </div>
      <Tag tone={tones[state]}>{text.checkStates[state]}</Tag>
      <a href={dashboardPath(path)}>{link}</a>
    </li>
  )
}

const tones: Readonly<Record<CheckState, Tone>> = { done: 'green', todo: 'amber', unknown: 'grey' }
