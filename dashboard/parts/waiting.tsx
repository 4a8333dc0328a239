import { words } from '../app/language.ts'

/** Grey lines where rows will be. */
export function Waiting() {
  return (
    <div class="skeleton" role="status" aria-busy="true">
      <span class="unseen">{words.value.waiting}</span>
      <i />
      <i />
      <i />
    </div>
  )
}
