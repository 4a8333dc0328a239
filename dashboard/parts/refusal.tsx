import type { Refused } from '../app/call.ts'
import { words } from '../app/language.ts'

/** What the service refused, in its own words, with the reason's name. Null shows nothing. */
export function Refusal({ refused, onAgain }: { refused: Refused | null; onAgain?: () => void }) {
  if (refused === null) return null
  const { reason, message, data, retry_after: waitMs } = refused.body
  const text = words.value.refusal
  const isOurs = reason === 'no_connection' || reason === 'unforeseen'
  return (
    <div class="refusal" role="alert">
      <p>
        {isOurs ? text[reason] : message} {waitMs !== undefined && text.wait(Math.ceil(waitMs / 1000))}
      </p>
      {reason === 'setting_refused' && typeof data === 'string' && <p>{data}</p>}
      {!isOurs && <code>{reason}</code>}
      {onAgain !== undefined && (
        <button type="button" onClick={onAgain}>
          {text.again}
        </button>
      )}
    </div>
  )
}
