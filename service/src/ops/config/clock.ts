import type { Setting } from './values.ts'

/** When the machine's clock is refused as a reason to destroy or move anything (docs/operating/clock.md). */
export const clockSettings = [
  {
    name: 'clockJumpSecondsMax',
    env: 'TESSERA_CLOCK_JUMP_SECONDS_MAX',
    flag: '--clock-jump-seconds-max',
    type: 'integer',
    from: 60,
    to: 31_536_000,
    default: 86_400,
    meaning:
      'How far the clock may move against the monotonic clock while the service runs. Beyond it nothing is destroyed or moved because of a time until tessera clock confirm.',
    source: 'a day: more than time servers and summer time correct, less than any retention',
  },
  {
    name: 'clockBehindSecondsMax',
    env: 'TESSERA_CLOCK_BEHIND_SECONDS_MAX',
    flag: '--clock-behind-seconds-max',
    type: 'integer',
    from: 0,
    to: 86_400,
    default: 5,
    meaning: 'How far the clock may stand behind the last audit entry at a start. Beyond it the same applies.',
    source: 'clocks of machines with a time server differ by less than a second',
  },
] as const satisfies readonly Setting[]
