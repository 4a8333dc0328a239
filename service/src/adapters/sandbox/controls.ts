import { SettingProblem } from '@tessera/contract/setting-problems'

import type { Clock } from '../../clock.ts'
import { type AuditEntry, insertAuditEntry } from '../../store/audit.ts'
import { listMerchants } from '../../store/merchants.ts'
import { deleteScenarioSteps, listScenarioSteps, listStepsOfScenario, setScenarioStep } from '../../store/sandbox.ts'
import type { Store } from '../../store/store.ts'

import { listControls, type AvailableControls, type ControlRow } from './control-rows.ts'
import type { AuditActor } from '../../domain/request-context.ts'

/** A control with its current step. */
export interface ControlState extends ControlRow {
  readonly step: string
}

export interface LimitState {
  readonly on: boolean
  readonly since: number | null
  readonly byOperator: boolean
}

export interface ClockState {
  readonly offsetMs: number
  readonly offsetMaxMs: number
  readonly mayMove: boolean
}

/** The controls of the sandbox. Settings are stored and apply from the next call; the clock offset exists only in this process. */
export interface Controls {
  readonly available: AvailableControls
  states(merchantId: string): Promise<ControlState[]>
  limits(merchantId: string): LimitState
  clock(merchantId: string): Promise<ClockState>
  /** The offset of the environment's clock. */
  offsetMs(): number
  /** These return a `SettingProblem` when refused, otherwise null. */
  setStep(merchantId: string, setting: { readonly scenario: string; readonly step: string }, by: AuditActor): Promise<SettingProblem | null>
  setLimits(merchantId: string, on: boolean, by: AuditActor): Promise<SettingProblem | null>
  /** Allowed for the operator (`merchantId` null), and for a merchant when it is the only one. */
  moveClock(merchantId: string | null, offsetMs: number, by: AuditActor): Promise<SettingProblem | null>
  /** Resets all settings, and the clock if the merchant may move it. */
  restore(merchantId: string, by: AuditActor): Promise<void>
}

export interface ControlDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  /** The machine's clock, used for audit entries. */
  readonly clock: Pick<Clock, 'now'>
  readonly available: AvailableControls
  readonly mover: { offsetMs(): number; moveTo(offsetMs: number): void }
  readonly maxOffsetMs: number
  /** Null when the operator has switched limits on for all merchants. */
  readonly limitSimulation: {
    sinceOf(merchantId: string): number | null
    begin(merchantId: string, since: number): boolean
    end(merchantId: string): void
  } | null
}

/** Opens the controls. Simulated limits stay on after a restart; their counters start at zero. */
export async function openControls(deps: ControlDependencies): Promise<Controls> {
  const { store, clock, available, mover, limitSimulation, maxOffsetMs } = deps
  const rows = listControls(available)
  for (const { merchantId, step } of await store.read(listStepsOfScenario(limitScenario, maxSimulatingMerchants))) {
    if (step !== limitsOff) limitSimulation?.begin(merchantId, Number(step))
  }
  return Object.freeze<Controls>({
    available,
    states,
    limits,
    clock: clockState,
    offsetMs: () => mover.offsetMs(),
    setStep,
    setLimits,
    moveClock,
    restore,
  })

  async function states(merchantId: string): Promise<ControlState[]> {
    const set = new Map((await store.read(listScenarioSteps(merchantId))).map(({ scenario, step }) => [scenario, step]))
    return rows.map((row) => ({ ...row, step: set.get(row.scenario) ?? row.defaultStep }))
  }

  function limits(merchantId: string): LimitState {
    const since = limitSimulation?.sinceOf(merchantId) ?? null
    return { on: limitSimulation === null || since !== null, since, byOperator: limitSimulation === null }
  }

  async function clockState(merchantId: string): Promise<ClockState> {
    return { offsetMs: mover.offsetMs(), offsetMaxMs: maxOffsetMs, mayMove: await isOnlyMerchant(merchantId) }
  }

  async function setStep(
    merchantId: string,
    { scenario, step }: { scenario: string; step: string },
    by: AuditActor,
  ): Promise<SettingProblem | null> {
    const row = rows.find((each) => each.scenario === scenario)
    if (row === undefined) return new SettingProblem('sandbox_scenario_unknown', rows.map((each) => each.scenario).join(', '))
    if (!row.steps.includes(step)) return new SettingProblem('sandbox_step_unknown', scenario, row.steps.join(', '))
    await store.write(setScenarioStep, {
      merchantId,
      scenario,
      step,
      audit: controlAuditEntry(merchantId, by, 'sandbox.changed', `${scenario} ${step}`),
    })
    return null
  }

  async function setLimits(merchantId: string, on: boolean, by: AuditActor): Promise<SettingProblem | null> {
    if (limitSimulation === null) return new SettingProblem('sandbox_limits_by_provider')
    const since = clock.now()
    if (on && !limitSimulation.begin(merchantId, since)) return new SettingProblem('sandbox_limits_busy')
    if (!on) limitSimulation.end(merchantId)
    const audit = controlAuditEntry(merchantId, by, 'sandbox.limits_changed', on ? 'on' : 'off')
    await store.write(setScenarioStep, { merchantId, scenario: limitScenario, step: on ? String(since) : limitsOff, audit })
    return null
  }

  async function moveClock(merchantId: string | null, offsetMs: number, by: AuditActor): Promise<SettingProblem | null> {
    if (!Number.isInteger(offsetMs) || offsetMs < 0 || offsetMs > maxOffsetMs) return new SettingProblem('sandbox_clock_range')
    if (merchantId !== null && !(await isOnlyMerchant(merchantId))) {
      return new SettingProblem('sandbox_clock_shared')
    }
    await store.write(insertAuditEntry, {
      audit: controlAuditEntry(merchantId ?? '', by, 'sandbox.clock_moved', `ahead ${String(offsetMs)} ms`),
    })
    mover.moveTo(offsetMs)
    return null
  }

  async function restore(merchantId: string, by: AuditActor): Promise<void> {
    await store.write(deleteScenarioSteps, { merchantId, audit: controlAuditEntry(merchantId, by, 'sandbox.restored', 'done') })
    limitSimulation?.end(merchantId)
    if (mover.offsetMs() > 0 && (await isOnlyMerchant(merchantId))) await moveClock(merchantId, 0, by)
  }

  async function isOnlyMerchant(merchantId: string): Promise<boolean> {
    const merchants = await store.read(listMerchants('', 2))
    return merchants.length === 1 && merchants[0]?.id === merchantId
  }

  function controlAuditEntry(merchantId: string, by: AuditActor, action: string, outcome: string): AuditEntry {
    return {
      at: clock.now(),
      actor: by.actor,
      requestId: by.requestId,
      address: by.address,
      action,
      merchantId,
      subject: merchantId,
      outcome,
      version: 0,
      mac: new Uint8Array(0),
    }
  }
}

/** Stored among the scenarios: the time since which a merchant simulates limits. */
const limitScenario = 'limits'
const limitsOff = 'off'
const maxSimulatingMerchants = 100
