import type { Clock } from '../clock.ts'
import type { AuditNote, Store } from '../store/store.ts'

import { rowsOf, type ControlFacts, type ControlRow } from './control-rows.ts'
import type { Doer } from './parts.ts'

/** Where one control stands. */
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

/** The controls of the sandbox. What is set stands in the store and holds from the next call on; time alone is this process's own. */
export interface Controls {
  readonly facts: ControlFacts
  states(merchantId: string): Promise<ControlState[]>
  limits(merchantId: string): LimitState
  clock(merchantId: string): Promise<ClockState>
  /** How far the environment's time is ahead. */
  offsetMs(): number
  /** Each tells in a sentence why it was not done, or null. */
  setStep(merchantId: string, asked: { readonly scenario: string; readonly step: string }, doer: Doer): Promise<string | null>
  setLimits(merchantId: string, on: boolean, doer: Doer): Promise<string | null>
  /** The merchant's people, where there is no other merchant; the operator in any case. */
  moveClock(merchantId: string | null, offsetMs: number, doer: Doer): Promise<string | null>
  /** All back to normal; the clock too, where the merchant may move it. */
  restore(merchantId: string, doer: Doer): Promise<void>
}

export interface ControlParts {
  readonly store: Pick<
    Store,
    'listScenarioSteps' | 'setScenarioStep' | 'dropScenarioSteps' | 'listStepsOf' | 'listMerchants' | 'appendAudit'
  >
  /** The machine's own: what people do is noted in it. */
  readonly clock: Pick<Clock, 'now'>
  readonly facts: ControlFacts
  readonly mover: { offsetMs(): number; moveTo(offsetMs: number): void }
  readonly offsetMaxMs: number
  /** Null where the operator has switched limits on for everybody. */
  readonly rehearsal: {
    sinceOf(merchantId: string): number | null
    begin(merchantId: string, since: number): boolean
    end(merchantId: string): void
  } | null
}

/** Opens the controls; limits that were being rehearsed go on, their counts at nought. */
export async function openControls(parts: ControlParts): Promise<Controls> {
  const { store, clock, facts, mover, rehearsal, offsetMaxMs } = parts
  const rows = rowsOf(facts)
  for (const { merchantId, step } of await store.listStepsOf(limitScenario, rehearsingRead)) {
    if (step !== limitsOff) rehearsal?.begin(merchantId, Number(step))
  }
  return Object.freeze<Controls>({
    facts,
    states,
    limits,
    clock: tellClock,
    offsetMs: () => mover.offsetMs(),
    setStep,
    setLimits,
    moveClock,
    restore,
  })

  async function states(merchantId: string): Promise<ControlState[]> {
    const set = new Map((await store.listScenarioSteps(merchantId)).map(({ scenario, step }) => [scenario, step]))
    return rows.map((row) => ({ ...row, step: set.get(row.scenario) ?? row.byDefault }))
  }

  function limits(merchantId: string): LimitState {
    const since = rehearsal?.sinceOf(merchantId) ?? null
    return { on: rehearsal === null || since !== null, since, byOperator: rehearsal === null }
  }

  async function tellClock(merchantId: string): Promise<ClockState> {
    return { offsetMs: mover.offsetMs(), offsetMaxMs, mayMove: await isAlone(merchantId) }
  }

  async function setStep(merchantId: string, { scenario, step }: { scenario: string; step: string }, doer: Doer): Promise<string | null> {
    const row = rows.find((each) => each.scenario === scenario)
    if (row === undefined) return `A scenario is one of: ${rows.map((each) => each.scenario).join(', ')}.`
    if (!row.steps.includes(step)) return `A step of ${scenario} is one of: ${row.steps.join(', ')}.`
    await store.setScenarioStep(merchantId, scenario, step, note(merchantId, doer, 'sandbox.changed', `${scenario} ${step}`))
    return null
  }

  async function setLimits(merchantId: string, on: boolean, doer: Doer): Promise<string | null> {
    if (rehearsal === null) return 'The provider has switched the limits on for every merchant; only the provider can switch them off.'
    const since = clock.now()
    if (on && !rehearsal.begin(merchantId, since)) return 'Too many merchants rehearse limits just now; try again later.'
    if (!on) rehearsal.end(merchantId)
    const audit = note(merchantId, doer, 'sandbox.limits', on ? 'on' : 'off')
    await store.setScenarioStep(merchantId, limitScenario, on ? String(since) : limitsOff, audit)
    return null
  }

  async function moveClock(merchantId: string | null, offsetMs: number, doer: Doer): Promise<string | null> {
    if (!Number.isInteger(offsetMs) || offsetMs < 0 || offsetMs > offsetMaxMs) return 'The time is moved ahead by 0 to 400 days.'
    if (merchantId !== null && !(await isAlone(merchantId))) {
      return 'Other merchants share this environment and its time; only the provider can move it.'
    }
    await store.appendAudit(note(merchantId ?? '', doer, 'sandbox.clock', `ahead ${String(offsetMs)} ms`))
    mover.moveTo(offsetMs)
    return null
  }

  async function restore(merchantId: string, doer: Doer): Promise<void> {
    await store.dropScenarioSteps(merchantId, note(merchantId, doer, 'sandbox.restored', 'done'))
    rehearsal?.end(merchantId)
    if (mover.offsetMs() > 0 && (await isAlone(merchantId))) await moveClock(merchantId, 0, doer)
  }

  async function isAlone(merchantId: string): Promise<boolean> {
    const merchants = await store.listMerchants('', 2)
    return merchants.length === 1 && merchants[0]?.id === merchantId
  }

  function note(merchantId: string, doer: Doer, action: string, outcome: string): AuditNote {
    return { at: clock.now(), ...doer, action, merchantId, subject: merchantId, outcome, version: 0, mac: new Uint8Array(0) }
  }
}

/** Among the scenarios of the store, and no control of its own: since when a merchant rehearses limits. */
const limitScenario = 'limits'
const limitsOff = 'off'
const rehearsingRead = 100
