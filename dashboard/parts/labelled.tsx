import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** A control of a row of tools, below its label; the control takes the id. */
export function Labelled({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}
