import type { ComponentChild } from 'preact'

import type { Rows } from './rows.ts'
import { words } from '../app/language.ts'
import { Refusal } from './refusal.tsx'
import { Waiting } from './waiting.tsx'

export interface Column<R> {
  readonly name: string
  readonly show: (row: R) => ComponentChild
  /** Left out on a phone. */
  readonly isMinor?: boolean
  readonly isNumber?: boolean
}

export interface TableProps<R> {
  /** What the table lists, for those who do not see it. */
  readonly label: string
  readonly rows: Rows<R>
  readonly columns: readonly Column<R>[]
  readonly keyOf: (row: R) => string
  /** Shown when there is nothing. */
  readonly empty: ComponentChild
}

/** A list by keyset: what is there, and a button for more. */
export function Table<R>({ label, rows, columns, keyOf, empty }: TableProps<R>) {
  const { list, next, isBusy, refused } = rows
  if (list.value === null) return refused.value === null ? <Waiting /> : <Refusal refused={refused.value} onAgain={rows.again} />
  if (list.value.length === 0 && next.value === null) {
    return (
      <>
        <Refusal refused={refused.value} />
        {empty}
      </>
    )
  }
  return (
    <>
      <div class="table" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map(({ name, ...column }) => (
                <th key={name} scope="col" class={classOf(column)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.value.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, show, ...column }) => (
                  <td key={name} class={classOf(column)}>
                    {show(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Refusal refused={refused.value} />
      {next.value !== null && (
        <button type="button" class="more" disabled={isBusy.value} onClick={rows.more}>
          {words.value.more}
        </button>
      )}
    </>
  )
}

function classOf({ isMinor = false, isNumber = false }: { isMinor?: boolean; isNumber?: boolean }): string {
  return `${isMinor ? 'minor' : ''}${isNumber ? ' number' : ''}`
}
