import { words } from '../app/language.ts'

/** Tiyin as so'm: 123456 is 1 234.56; whole so'm without the fraction. */
export function Money({ tiyin }: { tiyin: number }) {
  return (
    <span class="money">
      {writeMoney(tiyin)} <small>{words.value.som}</small>
    </span>
  )
}

/** Digits in groups of three, by narrow no-break spaces; integers only, so that nothing is rounded. */
export function writeMoney(tiyin: number): string {
  const whole = String(Math.floor(Math.abs(tiyin) / 100)).replace(/\B(?=(\d{3})+$)/g, '\u202f')
  const rest = Math.abs(tiyin) % 100
  return `${tiyin < 0 ? '−' : ''}${whole}${rest === 0 ? '' : `.${String(rest).padStart(2, '0')}`}`
}
