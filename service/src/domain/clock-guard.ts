import type { Clock, ClockReading } from '../clock.ts'

/**
 * Whether the machine's clock may be the reason to destroy or move anything: cards whose time is over, keys of a past day, holds and receipts, records of a
 * retention. It may not after a jump, measured against the monotonic clock, or when it stands behind what this service wrote before it started, until an
 * operator confirms it. Code that needs a time for such a purpose reads it first and then calls `isTrusted`, so that no jump comes between the two.
 */
export interface ClockGuard {
  /** Compares both clocks now. The first refusal is reported, and remains until `confirm`. */
  isTrusted(): boolean
  status(): ClockStatus
  /**
   * The clock was right at this reading: continues from there, so that a jump since then is refused. Entries up to `newestEntryAt` may be later. Durable
   * when it resolves.
   */
  confirm(reading: ClockReading, newestEntryAt: number | null): Promise<void>
  /** Refuses the clock if it stands behind the newest entry of the audit, unix milliseconds; null: there is none. Once, at the start. */
  compareWithNewestEntry(at: number | null): void
  /** Records how far the clock has come, for the next start. To be called about once a minute, and at the end. */
  save(): Promise<void>
}

export interface ClockStatus {
  readonly reading: ClockReading
  /** How far the clock has moved against the monotonic clock since it was last known to be right, milliseconds. */
  readonly driftMs: number
  /** Null while it is trusted. */
  readonly refusal: ClockRefusal | null
}

export interface ClockRefusal {
  /** `jumped` while running; `behind` what was written before the start. */
  readonly reason: 'jumped' | 'behind'
  /** How far, milliseconds: ahead when positive. */
  readonly byMs: number
  /** What the clock said when it was refused, unix milliseconds. */
  readonly at: number
}

export interface ClockGuardSettings {
  /** A larger jump is refused. */
  readonly maxJumpMs: number
  /** At a start the clock may stand behind by so much. */
  readonly maxBehindMs: number
}

export interface ClockGuardDependencies {
  /** The machine's clock, not that of the sandbox. */
  readonly clock: Pick<Clock, 'moment'>
  readonly settings: ClockGuardSettings
  /** Where the state outlives a restart. */
  readonly record: { read(): Promise<Uint8Array | null>; save(value: Uint8Array): Promise<void> }
  /** Called once for each refusal, and at a start with one that nobody has confirmed. Must not throw. */
  readonly onRefused: (refusal: ClockRefusal) => void
}

/** Continues with what the last process recorded: within one boot its reading is compared too, and a refusal stays one. */
export async function openClockGuard({ clock, settings, record, onRefused }: ClockGuardDependencies): Promise<ClockGuard> {
  const stored = parseState(await record.read())
  const first = clock.moment()
  let base = stored !== null && isComparable(stored.base, first) ? stored.base : first
  /** The newest time that the trusted clock has shown. */
  let seenMs = stored?.seenMs ?? 0
  /** Entries up to here were written by a clock that was wrong, as an operator confirmed. */
  let acceptedUntilMs = stored?.acceptedUntilMs ?? 0
  let saving: Promise<void> = Promise.resolve()
  let refusal: ClockRefusal | null = stored?.refusal ?? null
  if (refusal !== null) onRefused(refusal)
  compareWithPast(seenMs)
  await save()

  return Object.freeze({
    isTrusted,
    status(): ClockStatus {
      isTrusted()
      const reading = clock.moment()
      return { reading, driftMs: driftOf(reading), refusal }
    },
    async confirm(reading: ClockReading, newestEntryAt: number | null) {
      base = reading
      seenMs = base.wallMs
      acceptedUntilMs = newestEntryAt ?? 0
      refusal = null
      await save()
    },
    compareWithNewestEntry(at: number | null) {
      if (at !== null && at > acceptedUntilMs) compareWithPast(at)
    },
    save,
  })

  function isTrusted(): boolean {
    const reading = clock.moment()
    const byMs = driftOf(reading)
    if (Math.abs(byMs) > settings.maxJumpMs) refuse({ reason: 'jumped', byMs, at: reading.wallMs })
    return refusal === null
  }

  /** `at`: a time at which this service has written something. */
  function compareWithPast(at: number): void {
    const { wallMs } = clock.moment()
    if (wallMs < at - settings.maxBehindMs) refuse({ reason: 'behind', byMs: wallMs - at, at: wallMs })
  }

  function refuse(found: ClockRefusal): void {
    if (refusal !== null) return
    refusal = found
    onRefused(found)
    // If it is not stored, the next start compares with the stored reading.
    save().catch(() => undefined)
  }

  /** Another boot has another monotonic clock; within one process there is one boot. */
  function driftOf(reading: ClockReading): number {
    return isComparable(base, reading) ? reading.wallMs - base.wallMs - (reading.monotonicMs - base.monotonicMs) : 0
  }

  function save(): Promise<void> {
    const { wallMs } = clock.moment()
    if (isTrusted()) seenMs = wallMs
    const state = formatState({ base, seenMs, acceptedUntilMs, refusal })
    saving = saving.catch(() => undefined).then(() => record.save(state))
    return saving
  }
}

function isComparable(base: ClockReading, reading: ClockReading): boolean {
  return base.bootId === reading.bootId && base.monotonicMs <= reading.monotonicMs
}

interface ClockState {
  /** A reading of both clocks when the wall clock was right. */
  readonly base: ClockReading
  /** The newest time that the trusted clock has shown. */
  readonly seenMs: number
  readonly acceptedUntilMs: number
  readonly refusal: ClockRefusal | null
}

function formatState(state: ClockState): Uint8Array {
  return Buffer.from(`${JSON.stringify(state)}\n`)
}

/** Null when nothing was recorded, or it cannot be read: then this start is the first. */
function parseState(stored: Uint8Array | null): ClockState | null {
  if (stored === null) return null
  try {
    const state = JSON.parse(Buffer.from(stored).toString()) as Partial<ClockState> | null
    const numbers = [state?.base?.wallMs, state?.base?.monotonicMs, state?.seenMs, state?.acceptedUntilMs]
    return numbers.every((value) => Number.isFinite(value)) && typeof state?.base?.bootId === 'string'
      ? { ...(state as ClockState), refusal: state.refusal ?? null }
      : null
  } catch {
    return null
  }
}
