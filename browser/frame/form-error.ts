import type { FormView } from './view.ts'

const resizeMs = 1000

/** Shows an error that belongs to no field, where the cardholder is: above `button`, the one that was pressed. */
export function showFormError({ fault }: FormView, button: HTMLElement, { message, isFocused }: FormErrorOptions): void {
  button.before(fault)
  fault.textContent = message
  if (isFocused) fault.focus({ preventScroll: true })
  const reveal = (): void => fault.scrollIntoView({ block: 'nearest' })
  reveal()
  // The page gives the frame its new height a moment later.
  addEventListener('resize', reveal, { signal: AbortSignal.timeout(resizeMs) })
}

interface FormErrorOptions {
  readonly message: string
  readonly isFocused: boolean
}
