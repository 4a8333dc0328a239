import type { ComponentChildren } from 'preact'

import { language, messages } from '../app/language.ts'
import { docsPath } from './docs-path.ts'

/** A link to the documentation. It opens beside the dashboard, where something may be typed. */
export function DocsLink({ href, children }: { href: string; children: ComponentChildren }) {
  return (
    <a class="docs" href={href} target="_blank" rel="noopener" title={messages.value.docs}>
      {children}
    </a>
  )
}

/** A code that consists of English words, beside a text that says the same, with its page. Other languages show the text alone. */
export function EnglishCode({ code, href }: { code: string; href: string }) {
  if (language.value !== 'en' || code === '') return null
  return (
    <DocsLink href={href}>
      <code>{code}</code>
    </DocsLink>
  )
}

/** The name of a method, with its page; null where a call named none that there is. */
export function MethodLink({ method }: { method: string | null }) {
  if (method === null) return null
  return (
    <DocsLink href={docsPath.method(method)}>
      <code>{method}</code>
    </DocsLink>
  )
}
