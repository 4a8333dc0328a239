import { call } from '../../app/api.ts'
import { EmptyState } from '../../components/query-result.tsx'
import { DataTable } from '../../components/table.tsx'
import { Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { verificationPageText } from '../../messages/page-texts.ts'

/** The messages the test environment would have sent. The code is always the public one. */
export function SmsInbox() {
  const text = verificationPageText.current()
  const list = usePagedList('inbox', async (after) => {
    const { messages, next } = await call('dashboard.verification.inbox', { after })
    return { rows: messages, next }
  })
  return (
    <>
      <div class="tools">
        <p class="note">{text.inboxText}</p>
        <button type="button" class="again" onClick={list.reload}>
          {text.refresh}
        </button>
      </div>
      <DataTable
        label={text.inbox}
        list={list}
        columns={[
          { name: text.at, render: ({ at }) => <Time at={at} isShort hasSeconds /> },
          { name: text.phone, render: ({ phone }) => phone, isMinor: true },
          { name: text.message, render: (message) => <span class="message">{message.text}</span> },
        ]}
        keyOf={({ id }) => id}
        empty={<EmptyState {...text.noMessages} />}
      />
    </>
  )
}
