import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'

import { call } from '../../app/api.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { refreshSession } from '../../app/load-session.ts'
import { hasRole, session } from '../../app/session-state.ts'
import { QueryResult, EmptyState, ErrorMessage } from '../../components/query-result.tsx'
import { Tag } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { sandboxPageText, reasonText } from '../../messages/page-texts.ts'
import { CardControls } from './card-controls.tsx'
import { ClockPanel } from './clock-panel.tsx'
import { FaultControls } from './fault-controls.tsx'
import { RateLimitsPanel } from './rate-limits-panel.tsx'
import { ResetPanel } from './reset-panel.tsx'
import type { RunChange, SandboxPanelProps } from './sandbox-panel.ts'

/** Simulates failures, so that they are met in the test environment first: every control as it is set, and a reset of all of them. */
export function SandboxPage() {
  const loading = useMessages(sandboxPageText, reasonText)
  if (loading !== null) return loading
  const text = sandboxPageText.current()
  return session.value?.environment === 'test' ? <SandboxControls /> : <EmptyState title={text.testOnly.title} text={text.testOnly.text} />
}

function SandboxControls() {
  const query = useQuery('dashboard.sandbox.get', {})
  const { error, run } = useAction()
  const status = useSignal('')
  const change: RunChange = async (action, doneText) => {
    status.value = ''
    await run(action)
    query.refetch()
    await refreshSession()
    if (error.value === null) status.value = doneText
  }
  const statusBar = (
    <div class="status-bar">
      <ErrorMessage error={error.value} />
      <p role="status" class="form-status">
        {status.value}
      </p>
    </div>
  )
  return <QueryResult query={query}>{(sandbox) => <SandboxPanels panelProps={{ sandbox, change }} statusBar={statusBar} />}</QueryResult>
}

function SandboxPanels({ panelProps, statusBar }: { panelProps: SandboxPanelProps; statusBar: ComponentChild }) {
  const text = sandboxPageText.current()
  const { sandbox, change } = panelProps
  return (
    <>
      <section class="panel state">
        <p>
          {sandbox.changed === 0 ? (
            <Tag tone="green">{text.normal}</Tag>
          ) : (
            <Tag tone="amber">{formatMessage(text.changed, sandbox.changed)}</Tag>
          )}{' '}
          {text.scope}
        </p>
        {hasRole('developer') && sandbox.changed > 0 && (
          <button type="button" class="main" onClick={() => void change(() => call('dashboard.sandbox.restore', {}), text.restored)}>
            {text.restore}
          </button>
        )}
      </section>
      {statusBar}
      <CardControls {...panelProps} />
      <div class="columns">
        <FaultControls {...panelProps} />
        <div class="stack">
          <ClockPanel {...panelProps} />
          <RateLimitsPanel {...panelProps} />
          <ResetPanel {...panelProps} />
        </div>
      </div>
    </>
  )
}
