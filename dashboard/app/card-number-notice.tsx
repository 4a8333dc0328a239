import { useEffect, useRef } from 'preact/hooks'

import { formatMessage } from '../messages/lookup.ts'
import { typedCardNumber } from './card-number-guard.ts'
import { messages } from './language.ts'
import { route } from './router.ts'

/** Says below the field why a card number is not sent. In the top layer, so that it is above a dialog too. */
export function CardNumberNotice() {
  const notice = useRef<HTMLParagraphElement>(null)
  const typed = typedCardNumber.value
  const { page } = route.value
  useEffect(() => void (typedCardNumber.value = null), [page])
  useEffect(() => {
    const popover = notice.current
    if (typed === null || popover === null) return
    popover.showPopover()
    const { left, bottom } = typed.field.getBoundingClientRect()
    popover.style.top = `${String(Math.min(bottom + 6, innerHeight - popover.offsetHeight - 6))}px`
    popover.style.left = `${String(Math.max(8, Math.min(left, innerWidth - popover.offsetWidth - 8)))}px`
    const onLeave = (): void => void (typedCardNumber.value = null)
    typed.field.addEventListener('blur', onLeave)
    return () => {
      typed.field.removeEventListener('blur', onLeave)
      popover.hidePopover()
    }
  }, [typed])
  const { typedCard } = messages.value
  return (
    <p ref={notice} class="card-number-notice" popover="manual" role="alert">
      {typed !== null && (typed.lastFour === null ? typedCard.notSent : formatMessage(typedCard.replaced, typed.lastFour))}
    </p>
  )
}
