import type { Result } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { printFields, type Command } from './command.ts'
import { callService } from './control-client.ts'

export const clockStatus: Command = {
  name: 'clock status',
  summary: 'Shows whether the clock of the machine is trusted.',
  details:
    'A clock that jumped by more than clockJumpSecondsMax, or that stands behind the last audit entry at a start by more than clockBehindSecondsMax, is\n' +
    'no reason to destroy or move anything until tessera clock confirm. Exit code 1 while it is not trusted.',
  async run(input) {
    const data = await callService(input, 'operator.clock.get', {})
    const text = printFields({ trusted: data.trusted, clock: data.now, drift: `${data.driftSeconds.toFixed(3)} s` })
    return { exit: data.trusted ? 'done' : 'findings', data, text: [text, ...describeRefusal(data)].join('\n') }
  },
}

export const clockConfirm: Command = {
  name: 'clock confirm',
  summary: 'Confirms that the clock of the machine is right now, after it was refused.',
  details:
    'What is due by the clock is destroyed and moved from then on: ended cards, keys of past days, expired holds and receipts, old records.\n' +
    'So compare the clock with another one first. A clock that has jumped again since then is not confirmed. The audit records who did it.',
  options: [
    { name: 'time', takes: '<time>', meaning: 'The time that you have compared, ISO 8601: the clock may be five minutes away from it.' },
  ],
  async run(input) {
    const time = input.options.get('time')
    if (time === undefined) {
      const { now } = await callService(input, 'operator.clock.get', {})
      throw new ExitError('usage', `The clock says ${now}. If that is right: tessera clock confirm --time ${now}`)
    }
    const data = await callService(input, 'operator.clock.confirm', { time })
    return { exit: 'done', data, text: 'The clock is trusted again.' }
  },
}

function describeRefusal({ refusal }: Result<'operator.clock.get'>): string[] {
  if (refusal === null) return []
  const { reason, bySeconds } = refusal
  const seconds = `${Math.abs(bySeconds).toFixed(0)} s ${bySeconds > 0 ? 'ahead' : 'back'}`
  const what =
    reason === 'jumped' ? `It jumped ${seconds}.` : `It stood ${Math.abs(bySeconds).toFixed(0)} s behind what was written before the start.`
  return ['', `${what} Nothing is destroyed or moved because of a time.`, 'Correct the clock of the machine, then: tessera clock confirm']
}
