import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/**
 * What is typed or picked in a control whose value something else tells too, the address or the service: it begins as `told`, and is that again
 * whenever `key` is another. The control itself stays, and with it the focus.
 */
export function useTyped<T>(told: T, key: unknown = told): Signal<T> {
  const typed = useSignal(told)
  useEffect(() => void (typed.value = told), [key])
  return typed
}
