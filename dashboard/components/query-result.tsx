import type { ComponentChildren } from 'preact'

import type { DashboardCallError } from '../app/api.ts'
import { messages } from '../app/language.ts'
import { PageIcon } from '../app/page-icon.tsx'
import { dashboardPath, route } from '../app/router.ts'
import type { ApiQuery } from '../hooks/use-query.ts'
import { EnglishCode } from './docs-link.tsx'
import { docsPath } from './docs-path.ts'

interface QueryResultProps<T> {
  readonly query: ApiQuery<T>
  readonly children: (result: T) => ComponentChildren
  /** While there is no result; a few bars without it. */
  readonly placeholder?: ComponentChildren
}

/** Renders the result of a query, a placeholder until it is there, and above either of them the error of the last call. */
export function QueryResult<T>({ query, children, placeholder }: QueryResultProps<T>) {
  const { result, error, refetch } = query
  return (
    <>
      {result.value === null && error.value === null && (placeholder ?? <Loading />)}
      <ErrorMessage error={error.value} onRetry={refetch} />
      {result.value !== null && children(result.value)}
    </>
  )
}

/** Grey bars where the content will be: a few, or as many as the rows of a list. */
export function Loading({ rows = 3 }: { rows?: number }) {
  return (
    <div class={rows > 3 ? 'skeleton rows' : 'skeleton'} role="status" aria-busy="true">
      <span class="visually-hidden">{messages.value.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <i key={row} />
      ))}
    </div>
  )
}

/** Grey panels where those of a page will be: the sum, its details, and charts. */
export function LoadingPanels() {
  return (
    <div class="skeleton panels" role="status" aria-busy="true">
      <span class="visually-hidden">{messages.value.loading}</span>
      {Array.from({ length: panelCount }, (_, panel) => (
        <i key={panel} />
      ))}
    </div>
  )
}

/** About a screen of them. */
const panelCount = 5

/** An error response: the service's localized text, in English with its reason code. Renders nothing for null. */
export function ErrorMessage({ error, onRetry }: { error: DashboardCallError | null; onRetry?: () => void }) {
  if (error === null) return null
  const { reason, message, data, retry_after: waitMs } = error.body
  const text = messages.value.error
  const isLocal =
    reason === 'no_connection' ||
    reason === 'unexpected' ||
    reason === 'card_number_typed' ||
    reason === 'passkey_cancelled' ||
    reason === 'passkey_known'
  return (
    <div class="error-message" role="alert">
      <p>
        {isLocal ? text[reason] : message} {waitMs !== undefined && text.wait(Math.ceil(waitMs / 1000))}
      </p>
      {reason === 'setting_refused' && typeof data === 'string' && <p>{data}</p>}
      {!isLocal && <EnglishCode code={reason} href={docsPath.reason(reason)} />}
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          {text.retry}
        </button>
      )}
    </div>
  )
}

export interface EmptyStateProps {
  readonly title: string
  readonly text: string
  /** The next step: to the page Get started, to the whole list of this page, or none beside the children. */
  readonly next?: 'start' | 'all' | 'none'
  readonly children?: ComponentChildren
}

/** Says why there is nothing to show, and what to do about it, with the sign of the page as its picture. */
export function EmptyState({ title, text, next = 'start', children }: EmptyStateProps) {
  const { page } = route.value
  return (
    <div class="empty">
      <span class="empty-picture">
        <PageIcon name={page} />
      </span>
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
      {children === undefined && next !== 'none' && (
        <p class="next">
          <a href={dashboardPath(next === 'all' ? page : 'start')}>
            {next === 'all' ? messages.value.showAll : messages.value.pages.start}
          </a>
        </p>
      )}
    </div>
  )
}
