import { renameSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpsReply } from './client.ts'
import type { PeerFault } from './peer-fault.ts'
import { makeCardNumber } from './merchant.ts'
import { listDescendants } from './processes.ts'
import type { ProductionSystem } from './system.ts'
import { plainEnvironment } from '../../tools/service-child.ts'

/** Lies of the database, the HSM and the proxy. Each throws at the first thing that is not as it should be. */
export const lies: Readonly<Record<'databaseReplies' | 'databaseRow' | 'otherToken' | 'ownPage', PeerFault>> = {
  databaseReplies: {
    peer: 'PostgreSQL',
    what: 'lies: does what it is told, a COMMIT too, and its replies are lost until the connections break',
    begin({ database: { relay } }) {
      relay.swallowReplies()
      return Promise.resolve(() => {
        if (relay.breakAndForward() === 0) throw new Error('no reply of the database was lost')
        return Promise.resolve()
      })
    },
  },
  databaseRow: {
    peer: 'PostgreSQL',
    what: 'lies: somebody who can write it has marked a card as verified',
    async begin(system) {
      const { call, database, merchant } = system
      const params = { card: { number: makeCardNumber(unverifiedCard), expire: '0399' }, save: true }
      const created = await call({ method: 'cards.create', params, auth: merchant.id, from: '127.0.99.2' })
      if (created.kind !== 'result') throw new Error(`cards.create: ${JSON.stringify(created)}`)
      const { token } = created.result.card as { token: string }
      const auth = `${merchant.id}:${merchant.password}`
      const check = () => call({ method: 'cards.check', params: { token }, auth })
      const mark = async (verified: 0 | 1): Promise<void> => {
        const rows = await database.write('update cards set verified = $2 where card_id = $1', [token.slice(0, 24), verified])
        if (rows !== 1) throw new Error(`${String(rows)} rows were changed`)
      }
      const alarms = countAlarms(system)
      requireUnverified(await check(), 'before it is marked')
      await mark(1)
      const checked = await check()
      if (checked.kind !== 'error') throw new Error(`a card that was marked as verified is answered with ${JSON.stringify(checked)}`)
      const receipt = await call({ method: 'receipts.create', params: { amount: 1000, account: { order_id: 'marked' } }, auth })
      const id = receipt.kind === 'result' ? (receipt.result.receipt as { _id: string })._id : ''
      const paid = await call({ method: 'receipts.pay', params: { id, token }, auth })
      if (paid.kind !== 'error') throw new Error(`a card that was marked as verified paid: ${JSON.stringify(paid)}`)
      if (countAlarms(system) === alarms) throw new Error('no process wrote row_tampered into its log')
      return async () => {
        await mark(0)
        requireUnverified(await check(), 'as it was again')
      }
    },
  },
  otherToken: {
    peer: 'HSM',
    what: 'lies: shows another token, of the same label and PIN and with another key; one process is restarted meanwhile',
    async begin(system) {
      const { token, services } = system
      const { tokenFolder } = token
      const [otherFolder, rightFolder] = [`${tokenFolder}-other`, `${tokenFolder}-right`]
      await makeOtherToken(system, otherFolder)
      const [first] = services
      if (first === undefined) throw new Error('no process of the service runs')
      const showRightToken = (): void => {
        renameSync(tokenFolder, otherFolder)
        renameSync(rightFolder, tokenFolder)
        killTokenProcesses(system)
      }
      renameSync(tokenFolder, rightFolder)
      renameSync(otherFolder, tokenFolder)
      killTokenProcesses(system)
      try {
        await requireFailure(
          rotateCardKey(system),
          /KEK does not answer|another key|temporarily unavailable/,
          'a key of card numbers was rotated',
        )
        await first.process.kill()
        await requireFailure(first.process.start(), /KEK/, 'a process started')
      } catch (err) {
        showRightToken()
        throw err
      }
      return async () => {
        showRightToken()
        await first.process.start()
        // A process looks for its token every five seconds.
        for (let attempt = 0; ; attempt++) {
          try {
            await rotateCardKey(system)
            return
          } catch (err) {
            if (attempt === 20) throw err
            await pause(1000)
          }
        }
      }
    },
  },
  ownPage: {
    peer: 'nginx',
    what: 'lies: passes calls on, waits for less time than a payment takes, and says 200 with a page of its own',
    async begin({ proxy }) {
      await proxy.behave('ownPage')
      return () => proxy.behave('honest')
    },
  },
}

function requireUnverified(reply: HttpsReply, when: string): void {
  const { verify } = (reply.kind === 'result' ? reply.result.card : {}) as { verify?: boolean }
  if (verify !== false) throw new Error(`the card ${when} is answered with ${JSON.stringify(reply)}`)
}

/** Both keys of the other token have the labels of those in the right one. */
async function makeOtherToken({ token, installation }: ProductionSystem, folder: string): Promise<void> {
  const env = { ...plainEnvironment(), ...token.makeOther(folder), TESSERA_KEK_NEXT_FILE: token.nextFile }
  const init = [...token.settings, `--data=${folder}-data`]
  await installation.tesseraIn(env, 'keys', 'init', ...init)
  await installation.tesseraIn(env, 'keys', 'init', '--next', ...init)
}

async function requireFailure(attempt: Promise<unknown>, reason: RegExp, what: string): Promise<void> {
  const failure = await attempt.then(
    () => null,
    (err: unknown) => String(err),
  )
  if (failure === null) throw new Error(`${what} with the other token`)
  if (!reason.test(failure)) throw new Error(`refused for another reason: ${failure}`)
}

/** Each process of the service has the PKCS#11 module in a process of its own. */
export function listTokenProcesses({ services }: ProductionSystem): number[] {
  const running = services.filter(({ process: { isRunning } }) => isRunning())
  return running.flatMap(({ process: { pid } }) => listDescendants(pid(), 'kms/pkcs11/process.ts'))
}

export function killTokenProcesses(system: ProductionSystem): void {
  for (const pid of listTokenProcesses(system)) process.kill(pid, 'SIGKILL')
}

/** By a process that runs all the time. */
export function rotateCardKey({ installation, services, merchant }: ProductionSystem): Promise<string> {
  const at = [`--config=${installation.config}`, `--data=${services[1]?.data ?? ''}`]
  return installation.tessera('keys', 'rotate', 'card', merchant.id, ...at)
}

function countAlarms({ services }: ProductionSystem): number {
  return services.reduce((sum, { process: { output } }) => sum + output().split('"row_tampered"').length - 1, 0)
}

const unverifiedCard = 99_002
