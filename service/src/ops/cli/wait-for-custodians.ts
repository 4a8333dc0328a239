import type { Adapters } from '../../app/adapters.ts'
import { makeCustodyServices, type CustodyServices } from '../../app/custody.ts'
import { createLifecycle, type Resources } from '../../app/lifecycle.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { makeSeal, type SealDependencies } from '../../app/sealed-service.ts'
import { disableCoreDumps } from '../core-dumps.ts'

import type { CommandInput } from './command.ts'

/** How a command on a stopped service gets a KEK that custodians hold. */
export type CustodianWait = (input: CommandInput, deps: CustodianWaitDependencies) => OpenedAdapters

export interface CustodianWaitDependencies extends Pick<SealDependencies, 'clock' | 'log' | 'stopping' | 'storedKeys' | 'openKeys'> {
  readonly resources: Resources
}

export interface OpenedAdapters {
  readonly adapters: Adapters
  readonly custody: CustodyServices
}

/**
 * Where the KEK is in shares, the command is to custodians what a sealed service is: it listens on the control socket of the data folder until k of them have
 * run `tessera keys unseal`. Any other KEK is opened as always.
 */
export function waitForCustodians(input: CommandInput, { resources, ...deps }: CustodianWaitDependencies): OpenedAdapters {
  const { config } = input.settings()
  // Before a share can be in memory.
  disableCoreDumps()
  const custody = makeCustodyServices(config, deps)
  resources.add(() => custody.custody.forget())
  const onSealed = async (): Promise<void> => input.print(input.json ? '' : instructions)
  const ceremony = { custody: custody.custody, custodyAudit: custody.audit, handOver: null, repliesToCalls: false }
  const sealDeps = { ...deps, ...ceremony, lifecycle: createLifecycle(), onSealed }
  return { adapters: makeSeal(config, chooseAdapters(config), sealDeps, resources).adapters, custody }
}

const instructions =
  'Custodians hold the key encryption key in shares. Each of them now runs, at a terminal of their own, on this data folder:\n' +
  '  tessera keys unseal\n' +
  'tessera keys shares says how many are in. This command goes on with the last one; Ctrl-C ends it, and nothing was changed.\n'
