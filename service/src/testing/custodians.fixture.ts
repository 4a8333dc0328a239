import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import type { OperatorOperationName, Params, Result } from '@tessera/contract/operations'

import { callOperator } from '../ops/cli/control-client.ts'
import { findFreePort } from '../../../tools/free-port.ts'
import { plainEnvironment } from '../../../tools/service-child.ts'

import { runTessera, until, type Child, type Ended } from './child.fixture.ts'

/** A process of the service that may be sealed, with what its operators and custodians do. */
export interface CustodiedService extends Child {
  readonly folder: string
  readonly url: string
  readonly adminUrl: string
  /** The response of /readyz. */
  readiness(): Promise<{ readonly ready: boolean; readonly state: string; readonly reason?: string }>
  untilState(state: string): Promise<void>
  operator<Name extends OperatorOperationName>(name: Name, params: Params<Name>): Promise<OperatorReply<Name>>
  /** Makes a set and lets every custodian take a share. */
  makeShares(size: { readonly shares: number; readonly threshold: number }, isNext?: boolean): Promise<{ setId: string; shares: string[] }>
  /** Enters shares, one custodian after another; each has to be accepted. */
  enter(...shares: readonly string[]): Promise<void>
  /** The same, to agree to a rewrap. */
  agree(...shares: readonly string[]): Promise<void>
}

/** A result, or the reason of a refusal. */
export interface OperatorReply<Name extends OperatorOperationName> {
  readonly result?: Result<Name>
  readonly reason?: string
  readonly message?: string
}

/** Starts a service, and waits until its health endpoints respond. */
export async function startCustodied(folder: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CustodiedService> {
  const [port, adminPort] = [await findFreePort(), await findFreePort()]
  const child = runTessera(
    ['start', '--json', `--port=${String(port)}`, `--admin-port=${String(adminPort)}`, `--data=${folder}`, ...args],
    env,
  )
  const service = describeService(child, folder, {
    url: `http://127.0.0.1:${String(port)}`,
    adminUrl: `http://127.0.0.1:${String(adminPort)}`,
  })
  const end = { reached: false }
  void child.ended.then(() => (end.reached = true))
  await until(async () => end.reached || (await isAlive(service.adminUrl)), 'its health endpoint')
  if (end.reached) assert.fail(`the service ended: ${child.err()}${child.out()}`)
  return service
}

function describeService(child: Child, folder: string, { url, adminUrl }: { url: string; adminUrl: string }): CustodiedService {
  const readiness: CustodiedService['readiness'] = async () => (await (await fetch(`${adminUrl}/readyz`)).json()) as never
  const operator: CustodiedService['operator'] = async (name, params) => {
    const reply = (await callOperator(folder, name, params)) ?? assert.fail('no service listens')
    if ('result' in reply) return { result: reply.result }
    return reply.error.data as { reason: string; message: string }
  }
  let entered = 0
  async function enterAll(shares: readonly string[], isForRewrap: boolean): Promise<void> {
    for (const share of shares) {
      const { message } = await operator('operator.shares.enter', { share, custodian: `holder-${String(++entered)}`, isForRewrap })
      assert.equal(message, undefined)
    }
  }
  const service: CustodiedService = {
    ...child,
    folder,
    url,
    adminUrl,
    readiness,
    operator,
    untilState: (state) => until(async () => (await readiness()).state === state, `the state ${state}: ${child.err()}`),
    async makeShares(size, isNext = false) {
      const made = await operator('operator.shares.create', { ...size, isNext, custodian: 'dealer' })
      const shares: string[] = []
      for (let i = 1; i <= size.shares; i++) {
        const taken = await operator('operator.shares.take', { custodian: `custodian-${String(i)}` })
        assert.equal(taken.result?.index, i, taken.message)
        shares.push(taken.result.share)
      }
      return { setId: made.result?.setId ?? assert.fail(made.message), shares }
    },
    enter: (...shares) => enterAll(shares, false),
    agree: (...shares) => enterAll(shares, true),
  }
  return service
}

async function isAlive(adminUrl: string): Promise<boolean> {
  return fetch(`${adminUrl}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Runs a command on the stopped service, and has each custodian enter a share as soon as it waits for them. */
export async function runWithCustodians(
  folder: string,
  args: readonly string[],
  shares: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv = {},
  /** Runs before the last share, which it returns. */
  beforeLast: () => Promise<Readonly<Record<string, string>>> = () => Promise.resolve({}),
): Promise<Ended> {
  const command = runTessera(args, env)
  const end = { reached: false }
  void command.ended.then(() => (end.reached = true))
  await until(async () => {
    const reply = await callOperator(folder, 'operator.shares.list', {}).catch(() => null)
    return end.reached || (reply !== null && 'result' in reply && reply.result.isSealed)
  }, 'the command to wait for custodians')
  const enter = async ([custodian, share]: [string, string]): Promise<void> => {
    const { code, err } = await runWithInput(['keys', 'unseal', `--custodian=${custodian}`, `--data=${folder}`], share)
    assert.equal(code, 0, `${err}${command.err()}${command.out()}`)
  }
  for (const entry of Object.entries(shares)) await enter(entry)
  for (const entry of Object.entries(await beforeLast())) await enter(entry)
  return command.ended
}

/** Runs a command with a line on its input, as a custodian who is not at a terminal. */
export async function runWithInput(args: readonly string[], line: string): Promise<Ended> {
  const child = spawn(process.execPath, [launcher, ...args], { env: plainEnvironment(), stdio: ['pipe', 'pipe', 'pipe'] })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  child.stdin.end(`${line}\n`)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, signal: null, ...said }
}

const launcher = fileURLToPath(new URL('../../bin/tessera.mjs', import.meta.url))
