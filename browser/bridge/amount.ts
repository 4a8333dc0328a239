import type { Language } from '@tessera/contract/profile'

/** An amount of tiyin as the payer reads it: `125 000 soʻm`, `125 000,50 сум`, `125,000 soʻm`. Integer arithmetic: a float would round. */
export function formatAmount(amountTiyin: number, language: Language): string {
  const [thousands, decimal] = language === 'en' ? [',', '.'] : ['\u00a0', ',']
  const rest = amountTiyin % 100
  const whole = String((amountTiyin - rest) / 100).replace(/\B(?=(\d{3})+$)/g, thousands)
  return `${whole}${rest === 0 ? '' : decimal + String(rest).padStart(2, '0')}\u00a0${language === 'ru' ? 'сум' : 'soʻm'}`
}
