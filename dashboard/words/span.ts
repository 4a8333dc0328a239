/** A span of time in the two largest units that it has: `8 d`, `1 d 1 h`, `3 min 1 s`. */
export function spanOf(ms: number, units: { days: string; hours: string; minutes: string; seconds: string }): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), units.days],
    [Math.floor(seconds / 3600) % 24, units.hours],
    [Math.floor(seconds / 60) % 60, units.minutes],
    [seconds % 60, units.seconds],
  ] as const
  const there = parts.filter(([count]) => count > 0).slice(0, 2)
  return there.length === 0 ? `0 ${units.seconds}` : there.map(([count, unit]) => `${String(count)} ${unit}`).join(' ')
}
