import * as real from '../../service/src/adapters/sms/sms-adapters.ts'
import type { Sms } from '../../service/src/adapters/sms/sms.ts'
import { makePeerDelay } from './peer-switch.ts'

/** A double of a real gateway that can be slow; its messages go to the sandbox's inbox. */
function delayed(sms: Sms): Sms {
  const delay = makePeerDelay('sms')
  return {
    isSimulated: false,
    async send(message, signal) {
      await delay(signal)
      return sms.send(message, signal)
    },
  }
}

const adapters = real.smsAdapters.adapters.map((adapter) => ({
  ...adapter,
  create: (...deps: Parameters<typeof adapter.create>) => delayed(adapter.create(...deps)),
}))

const slowSmsAdapters: typeof real.smsAdapters = { ...real.smsAdapters, adapters }

export { slowSmsAdapters as smsAdapters }
