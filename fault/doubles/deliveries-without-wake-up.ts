import * as real from '../../service/src/store/deliveries.ts'
import type { Transaction, TransactionStep } from '../../service/src/store/transaction.ts'

/** The transaction without the statement that makes the next event due, which finds nothing. */
function* recordWithoutWakeUp(result: real.DeliveryAttemptResult): Transaction<real.RecordedAttempt | null> {
  const recording = real.recordDeliveryAttempt(result)
  let step = recording.next()
  while (step.done !== true) step = recording.next(isWakeUp(step.value) ? [] : yield step.value)
  return step.value
}

function isWakeUp(step: TransactionStep): boolean {
  return step.kind === 'run' && /set due_at = case when due_at > /.test(step.statement.text)
}

export * from '../../service/src/store/deliveries.ts'
export { recordWithoutWakeUp as recordDeliveryAttempt }
