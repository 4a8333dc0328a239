import type { ReasonMessages } from '../messages/reason-messages.ts'
import { reasonText } from '../messages/page-texts.ts'
import { EnglishCode } from './values.tsx'

export interface ReasonProps {
  readonly reason: string
  /** What failed: sending or checking an SMS code, or anything else. */
  readonly of?: keyof ReasonMessages
  /** Without the code, which is in the tooltip: for people who do not program. */
  readonly isBrief?: boolean
}

/** The reason of an error as a text in the user's language. */
export function ReasonText({ reason, of = 'all', isBrief = false }: ReasonProps) {
  const text = textOf(reason, of)
  if (text === null) return <code>{reason}</code>
  return (
    <>
      <span title={reason}>{text}</span> {!isBrief && <EnglishCode code={reason} />}
    </>
  )
}

/** Null for a reason that is newer than this page. */
function textOf(reason: string, of: keyof ReasonMessages): string | null {
  const texts = reasonText.current()
  return texts[of][reason] ?? texts.all[reason] ?? null
}
