import * as real from '../../service/src/domain/work-pace.ts'

export * from '../../service/src/domain/work-pace.ts'
export { makeConstantPace as makeWorkPace }

/** A hundred rows in thirty seconds, however many wait. */
function makeConstantPace({ clock }: real.WorkPaceDependencies): real.WorkPace {
  return {
    monotonicMs: () => clock.moment().monotonicMs,
    batchRows: () => real.maxBatchRows,
    pause: async (_batch, stopping = neverAborted) => clock.sleep(30_000, stopping).catch(() => undefined),
  }
}

const neverAborted = new AbortController().signal
