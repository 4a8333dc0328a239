import type { PeerFault } from './peer-fault.ts'
import { killTokenProcesses, lies, listTokenProcesses, rotateCardKey } from './lies.ts'
import { pauseTree, type ManagedProcess } from './processes.ts'
import type { Behaviour } from './card-network.ts'
import type { CentreBehaviour } from './message-centre.ts'
import type { ReplyBehaviour } from './sms-relay.ts'
import type { ProductionSystem } from './system.ts'

/** Each peer killed, paused and, where it can, lied through, in turn. */
export const faults: readonly PeerFault[] = [
  killed('service', 'one of three processes is killed, and started again', (system) => firstService(system)),
  paused('service', 'one of three processes hangs', (system) => [firstService(system).pid()]),
  {
    peer: 'PostgreSQL',
    what: 'killed, and started again on the same data',
    async begin({ database }) {
      await database.cluster.crash()
      return () => database.cluster.start()
    },
  },
  paused('PostgreSQL', 'hangs', ({ database }) => [database.cluster.pid()]),
  lies.databaseReplies,
  lies.databaseRow,
  {
    peer: 'HSM',
    what: "the process of the token's module is killed in each process of the service",
    begin(system) {
      killTokenProcesses(system)
      return Promise.resolve(() => Promise.resolve())
    },
  },
  paused('HSM', 'the module does not answer', listTokenProcesses),
  lies.otherToken,
  {
    peer: 'SMS gateway by HTTP',
    what: 'killed, and started again',
    async begin({ gateway }) {
      for (const each of [gateway.smsbox, gateway.bearerbox]) await each.kill()
      return async () => {
        await gateway.bearerbox.start()
        await gateway.smsbox.start()
        await gateway.phones.kill()
        await gateway.phones.start()
      }
    },
  },
  paused('SMS gateway by HTTP', 'hangs', ({ gateway }) => [gateway.smsbox.pid(), gateway.bearerbox.pid()]),
  paused('SMS gateway by HTTP', 'lies: accepts every message, and delivers none for a while', ({ gateway }) => [gateway.phones.pid()]),
  lyingGateway('delivers, and says 200 with a page of its own', 'ownPage'),
  lyingGateway('delivers, and says 500', 'serverError'),
  lyingGateway('delivers, and its reply ends too early', 'cut'),
  killed('SMS gateway by SMPP', 'killed, and started again', ({ messageCentre }) => messageCentre.process),
  paused('SMS gateway by SMPP', 'hangs', ({ messageCentre }) => [messageCentre.process.pid()]),
  lyingCentre('accepts every message, and delivers none', 'acceptsAndDrops'),
  lyingCentre('delivers, and replies with bytes that are no SMPP', 'garbage'),
  lyingCentre('delivers, and responds to a message that nobody sent', 'otherSequence'),
  lyingCentre('says of every message that there are too many', 'throttles'),
  killed('card network', 'killed, and started again', ({ network }) => network.process),
  paused('card network', 'hangs', ({ network }) => [network.process.pid()]),
  lying('takes every payment and does not reply', 'takesAndIsSilent'),
  lying('replies with another amount than it took', 'otherAmount'),
  lying('replies to a call that nobody made', 'otherTrace'),
  lying('replies with bytes that are no message', 'garbage'),
  lying('says of everything that its system is in trouble', 'allRefused'),
  killed('nginx', 'killed, and started again', ({ proxy }) => proxy.process),
  paused('nginx', 'hangs', ({ proxy }) => [proxy.process.pid()]),
  lies.ownPage,
  killed("merchant's server", 'killed, and started again', ({ shop }) => shop.process),
  paused("merchant's server", 'hangs', ({ shop }) => [shop.process.pid()]),
  ...(['garbage', 'refuses'] as const).map((behaviour) => ({
    peer: "merchant's server",
    what: behaviour === 'garbage' ? 'lies: replies with a cut JSON' : 'lies: refuses every call, also after the debit',
    async begin({ shop }: ProductionSystem) {
      await shop.control('behave', behaviour)
      return async () => {
        await shop.control('behave', 'honest')
      }
    },
  })),
  {
    peer: 'keys',
    what: "the key of the merchant's card numbers is rotated",
    async begin(system) {
      await rotateCardKey(system)
      return () => Promise.resolve()
    },
  },
  {
    peer: 'keys',
    what: 'the KEK is changed to another key of the token, and every data key is wrapped anew',
    async begin({ installation, services }) {
      await installation.tessera('keys', 'rewrap', `--config=${installation.config}`, `--data=${services[1]?.data ?? ''}`)
      return () => Promise.resolve()
    },
  },
]

function killed(peer: string, what: string, find: (system: ProductionSystem) => ManagedProcess): PeerFault {
  return {
    peer,
    what,
    async begin(system) {
      const found = find(system)
      await found.kill()
      return () => found.start()
    },
  }
}

function paused(peer: string, what: string, find: (system: ProductionSystem) => readonly number[]): PeerFault {
  return {
    peer,
    what,
    begin(system) {
      const resumes = find(system).map((pid) => pauseTree(pid))
      return Promise.resolve(() => {
        for (const resume of resumes) resume()
        return Promise.resolve()
      })
    },
  }
}

function lying(what: string, behaviour: Behaviour): PeerFault {
  return {
    peer: 'card network',
    what: `lies: ${what}`,
    async begin({ network }) {
      await network.behave(behaviour)
      return () => network.behave('honest')
    },
  }
}

function lyingGateway(what: string, behaviour: ReplyBehaviour): PeerFault {
  return {
    peer: 'SMS gateway by HTTP',
    what: `lies: ${what}`,
    begin({ gateway: { relay } }) {
      relay.behave(behaviour)
      return Promise.resolve(async () => {
        // Each message goes by one of two gateways.
        await relay.untilLied()
        relay.behave('honest')
      })
    },
  }
}

function lyingCentre(what: string, behaviour: CentreBehaviour): PeerFault {
  return {
    peer: 'SMS gateway by SMPP',
    what: `lies: ${what}`,
    async begin({ messageCentre, services }) {
      // Two for each process of the service, which may still be away from the fault before.
      await messageCentre.until(({ sessions }) => sessions >= 2 * services.length)
      await messageCentre.behave(behaviour)
      return async () => {
        // Each message goes by one of two gateways.
        await messageCentre.until(({ lies }) => lies > 0)
        await messageCentre.behave('honest')
      }
    },
  }
}

function firstService({ services }: ProductionSystem): ManagedProcess {
  const [first] = services
  if (first === undefined) throw new Error('no process of the service runs')
  return first.process
}
