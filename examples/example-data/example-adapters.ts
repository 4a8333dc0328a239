import type { DeclineReason, Network } from '../../service/src/adapters/network/network.ts'
import { makeSandboxNetwork } from '../../service/src/adapters/sandbox/network.ts'
import { makeSandboxSms } from '../../service/src/adapters/sandbox/sms.ts'
import type { Adapters } from '../../service/src/app/adapters.ts'

/** What the network and the SMS gateway do with the next call, beside what the sandbox's test cards do by themselves. */
export interface ExampleFaults {
  /** `lostReply`: the network debits the card, and its reply is lost. */
  nextPayment: DeclineReason | 'lostReply' | null
  isSmsGatewayAway: boolean
}

/** The adapters of the test environment, with faults that a seeding run turns on and off. */
export function withExampleFaults(adapters: Adapters, faults: ExampleFaults): Adapters {
  return {
    ...adapters,
    networks: (deps) => [{ name: 'sandbox', port: withDeclines(makeSandboxNetwork(deps), faults) }],
    sms: (deps) => {
      const sandbox = makeSandboxSms(deps)
      const port: typeof sandbox = {
        ...sandbox,
        send: async (message, signal) =>
          faults.isSmsGatewayAway ? { outcome: 'rejected', error: 'simulated' } : sandbox.send(message, signal),
      }
      return [{ name: 'sandbox', port }]
    },
  }
}

function withDeclines(sandbox: Network, faults: ExampleFaults): Network {
  return {
    ...sandbox,
    async authorize(request, signal) {
      const { nextPayment: fault } = faults
      if (fault === null) return sandbox.authorize(request, signal)
      if (fault !== 'lostReply') return { kind: 'declined', reason: fault, rawCode: rawCodes[fault] ?? '05' }
      await sandbox.authorize(request, signal)
      return { kind: 'unknown' }
    },
  }
}

/** As ISO 8583 has them. */
const rawCodes: Partial<Record<DeclineReason, string>> = { insufficientFunds: '51', cardLimit: '61', declined: '05', debitFailed: '96' }
