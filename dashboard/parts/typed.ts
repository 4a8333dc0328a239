import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/**
 * What is typed into a field whose value the address tells too: it begins as `told`, and is that again whenever the address comes to say
 * something else. The field itself stays, and with it the focus.
 */
export function useTyped<T>(told: T, key: unknown = told): Signal<T> {
  const typed = useSignal(told)
  useEffect(() => void (typed.value = told), [key])
  return typed
}
