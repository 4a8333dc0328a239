import * as real from '../../service/src/adapters/sms/sms-adapters.ts'
import type { Sms } from '../../service/src/adapters/sms/sms.ts'
import { makePeerDelay } from './peer-switch.ts'

/** A double of a real gateway that can be slow. It accepts every message and stores none: a real one does not write to the service's database. */
function makeSlowSms(): Sms {
  const delay = makePeerDelay('sms')
  return {
    isSimulated: false,
    async send(_message, signal) {
      await delay(signal)
      return { outcome: 'accepted' }
    },
  }
}

const adapters = real.smsAdapters.adapters.map((adapter) => ({
  ...adapter,
  create: makeSlowSms,
}))

const slowSmsAdapters: typeof real.smsAdapters = { ...real.smsAdapters, adapters }

export { slowSmsAdapters as smsAdapters }
