import { language } from '../app/language.ts'
import type { ReasonMessages } from '../messages/reason-messages.ts'
import { reasonText } from '../messages/page-texts.ts'
import { DocsLink, EnglishCode } from './docs-link.tsx'
import { docsPath } from './docs-path.ts'

export interface ReasonProps {
  readonly reason: string
  /** What failed: sending or checking an SMS code, or anything else. */
  readonly of?: keyof ReasonMessages
  /** Without a link to its page, inside of what is a link itself. */
  readonly isPlain?: boolean
}

/** The reason of an error as a text in the user's language, which leads to its page: by the code in English, by the text in every other language. */
export function ReasonText({ reason, of = 'all', isPlain = false }: ReasonProps) {
  const text = textOf(reason, of)
  if (text === null) return <code>{reason}</code>
  const href = docsPath.reason(reason)
  if (isPlain) return <>{text}</>
  if (language.value !== 'en') return <DocsLink href={href}>{text}</DocsLink>
  return (
    <>
      {text} <EnglishCode code={reason} href={href} />
    </>
  )
}

/** The reason of an error where the code itself is what English readers look for: the code in English, and its text in every other language. */
export function ReasonLabel({ reason, of = 'all' }: ReasonProps) {
  const text = textOf(reason, of)
  if (text === null) return <code>{reason}</code>
  return <DocsLink href={docsPath.reason(reason)}>{language.value === 'en' ? <code>{reason}</code> : text}</DocsLink>
}

/** Null for a reason that is newer than this page. */
function textOf(reason: string, of: keyof ReasonMessages): string | null {
  const texts = reasonText.current()
  return texts[of][reason] ?? texts.all[reason] ?? null
}
