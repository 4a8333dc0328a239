import type { ComponentChildren } from 'preact'

/** Says why nothing is here, and what to do about it. */
export function Empty({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}
