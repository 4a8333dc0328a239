import { call } from '../../app/call.ts'
import { Empty } from '../../parts/empty.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { verificationText } from './verification-text.ts'

/** The SMS that the test environment kept; the code in every one is the public one. */
export function Inbox() {
  const text = verificationText.now()
  const rows = useRows('inbox', async (after) => {
    const { messages, next } = await call('dashboard.verification.inbox', { after })
    return { rows: messages, next }
  })
  return (
    <>
      <div class="tools">
        <p class="note">{text.inboxText}</p>
        <button type="button" class="again" onClick={rows.again}>
          {text.look}
        </button>
      </div>
      <Table
        label={text.inbox}
        rows={rows}
        columns={[
          { name: text.at, show: ({ at }) => <Time at={at} /> },
          { name: text.phone, show: ({ phone }) => phone, isMinor: true },
          { name: text.message, show: (message) => <span class="message">{message.text}</span> },
        ]}
        keyOf={({ id }) => id}
        empty={<Empty {...text.noMessages} />}
      />
    </>
  )
}
