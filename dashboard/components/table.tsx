import { useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useCallback, useEffect } from 'preact/hooks'

import { messages } from '../app/language.ts'
import type { PagedList } from '../hooks/use-paged-list.ts'
import { usePolling } from '../hooks/use-polling.ts'
import { ErrorMessage, Loading } from './query-result.tsx'

export interface TableColumn<R> {
  readonly name: string
  readonly render: (row: R) => ComponentChild
  /** Hidden on a phone. */
  readonly isMinor?: boolean
  readonly isNumber?: boolean
}

export interface TableProps<R> {
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly list: PagedList<R>
  readonly columns: readonly TableColumn<R>[]
  readonly keyOf: (row: R) => string
  /** Shown instead of a table without rows. */
  readonly empty: ComponentChild
}

/** A paged list, newest first, with a button that loads more. While *Live* is on, new rows come by themselves. */
export function DataTable<R>({ label, list, columns, keyOf, empty }: TableProps<R>) {
  const { rows, next, isLoading, error } = list
  useEffect(() => {
    if (list.isRecalled) list.refreshTop(keyOf)
  }, [list])
  const isLive = useSignal(false)
  const refresh = useCallback(() => {
    if (isLive.peek()) list.refreshTop(keyOf)
  }, [list])
  usePolling(refresh, liveIntervalMs)
  const liveSwitch = (
    <label class="check live">
      <input type="checkbox" checked={isLive.value} onChange={() => (isLive.value = !isLive.value)} />
      {messages.value.live}
    </label>
  )
  if (rows.value === null)
    return error.value === null ? <Loading rows={skeletonRows} /> : <ErrorMessage error={error.value} onRetry={list.reload} />
  if (rows.value.length === 0 && next.value === null) {
    return (
      <>
        {liveSwitch}
        <ErrorMessage error={error.value} />
        {empty}
      </>
    )
  }
  return (
    <>
      {liveSwitch}
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
            {rows.value.map((row) => (
              <tr key={keyOf(row)}>
                {columns.map(({ name, render, ...column }) => (
                  <td key={name} class={classOf(column)}>
                    {render(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ErrorMessage error={error.value} />
      {next.value !== null && (
        <button type="button" class="more" disabled={isLoading.value} onClick={list.loadMore}>
          {messages.value.more}
        </button>
      )}
    </>
  )
}

/** About a screen of them. */
const skeletonRows = 10

function classOf({ isMinor = false, isNumber = false }: { isMinor?: boolean; isNumber?: boolean }): string {
  return `${isMinor ? 'minor' : ''}${isNumber ? ' number' : ''}`
}

const liveIntervalMs = 2000
