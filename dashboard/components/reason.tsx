import { language } from '../app/language.ts'
import type { ReasonMessages } from '../messages/reason-messages.ts'
import { reasonText } from '../messages/page-texts.ts'
import { DocsLink, EnglishCode } from './docs-link.tsx'
import { docsPath } from './docs-path.ts'

export interface ReasonProps {
  readonly reason: string
  /** What failed: sending or checking an SMS code, or anything else. */
  readonly of?: keyof ReasonMessages
  /** Without the code, which is in the tooltip: for people who do not program. */
  readonly isBrief?: boolean
  /** Without a link to its page, inside of what is a link itself. */
  readonly isPlain?: boolean
}

/** The reason of an error as a text in the user's language, which leads to its page: by the code in English, and by the text where there is no code. */
export function ReasonText({ reason, of = 'all', isBrief = false, isPlain = false }: ReasonProps) {
  const text = textOf(reason, of)
  if (text === null) return <code>{reason}</code>
  const href = docsPath.reason(reason)
  const described = <span title={reason}>{text}</span>
  if (isPlain) return described
  if (isBrief || language.value !== 'en') return <DocsLink href={href}>{described}</DocsLink>
  return (
    <>
      {described} <EnglishCode code={reason} href={href} />
    </>
  )
}

/** Null for a reason that is newer than this page. */
function textOf(reason: string, of: keyof ReasonMessages): string | null {
  const texts = reasonText.current()
  return texts[of][reason] ?? texts.all[reason] ?? null
}
