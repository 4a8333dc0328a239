/**
 * What experiments and measurements plant in the service, most of it faults, to prove that they find them: `imports` of a start gets one. Each loads modules
 * of `doubles/` in place of the service's own.
 */
export const plantedFaults = {
  /** Does not compare the MACs of rows. */
  acceptAnyRow: replaceModules({ 'vault/src/rowmac.ts': 'fault/doubles/unchecked-row-mac.ts' }),
  /** Acknowledges a card 20 ms before COMMIT. */
  acknowledgeEarly: replaceModules({
    'service/src/store/sqlite/sqlite.ts': 'fault/doubles/early-store.ts',
    'service/src/store/postgres/postgres.ts': 'fault/doubles/early-store.ts',
  }),
  /** Acknowledges each step of a payment 20 ms before COMMIT. */
  acknowledgeMoneyEarly: replaceModules({
    'service/src/store/sqlite/sqlite.ts': 'fault/doubles/early-money-store.ts',
    'service/src/store/postgres/postgres.ts': 'fault/doubles/early-money-store.ts',
  }),
  /** Nobody sees that another process has ended, so duplicates of its calls wait for their leases. */
  blindProcesses: replaceModules({ 'service/src/domain/idempotency/processes.ts': 'fault/doubles/processes-unseen.ts' }),
  /** Sweeper and resealing work at a constant speed, as before, whatever waits for them. */
  constantPace: replaceModules({ 'service/src/domain/work-pace.ts': 'fault/doubles/constant-pace.ts' }),
  /** Counts an attempt at a code after it was allowed. */
  countLate: replaceModules({
    'service/src/store/sqlite/sqlite.ts': 'fault/doubles/late-counting-store.ts',
    'service/src/store/postgres/postgres.ts': 'fault/doubles/late-counting-store.ts',
  }),
  /** A payment without a reply from the network becomes payable again, and is never reconciled. */
  declineUnknown: replaceModules({ 'service/src/domain/payments/reconcile.ts': 'fault/doubles/declining-reconcile.ts' }),
  /** A password comparison that returns early. */
  earlyReturn: replaceModules({ 'vault/src/credential.ts': 'fault/doubles/early-return-credential.ts' }),
  /** A service that uses the first server that accepts writes, whichever it is. */
  firstPrimary: replaceModules({ 'service/src/store/postgres/fence.ts': 'fault/doubles/unfenced.ts' }),
  /** A service whose readiness does not see that writes fail. */
  ignoreFailedWrites: replaceModules({ 'service/src/ops/health/write-health.ts': 'fault/doubles/blind-write-health.ts' }),
  /** Continues after an I/O error within a commit. */
  ignoreIoErrors: replaceModules({ 'service/src/store/sqlite/fault.ts': 'fault/doubles/lenient-fault.ts' }),
  /** A card network that approves at once. */
  instantNetwork: replaceModules({ 'service/src/adapters/network/network-adapters.ts': 'fault/doubles/instant-network-adapters.ts' }),
  /** Kills the process in the middle of signing the rows from before migration 20. */
  killWhileSigning: replaceModules({
    'service/src/store/sqlite/sqlite.ts': 'fault/doubles/killing-signing-store.ts',
    'service/src/store/postgres/postgres.ts': 'fault/doubles/killing-signing-store.ts',
  }),
  /** A service whose check of the store finds nothing, and whose start takes any files. */
  noFindings: replaceModules({
    'service/src/ops/audit/check.ts': 'fault/doubles/silent-check.ts',
    'service/src/app/database-files.ts': 'fault/doubles/unchecked-files.ts',
  }),
  /** Every call is begun at once, however many arrive in one turn of the event loop. */
  noTurns: replaceModules({ 'service/src/server/http/turn-budget.ts': 'fault/doubles/endless-turns.ts' }),
  /** Deliveries to all endpoints share 64 places, and nobody notices that an endpoint does not answer, as before. */
  onePool: replaceModules({
    'service/src/domain/webhooks/settings.ts': 'fault/doubles/one-pool-settings.ts',
    'service/src/domain/webhooks/endpoint-pace.ts': 'fault/doubles/no-pace.ts',
  }),
  /** A start that takes a login which another process created at the same moment for an error. */
  racingLogin: replaceModules({ 'service/src/domain/users/ensure-login.ts': 'fault/doubles/racing-ensure-login.ts' }),
  /** A late approval comes after 4 s instead of 15, so that a run can wait for many. */
  shortLateness: replaceModules({ 'service/src/adapters/sandbox/faults.ts': 'fault/doubles/short-faults.ts' }),
  /** Interrupted payments are taken up again after 2 s instead of 30, so that kills hit the reconciliation as well. */
  shortLease: replaceModules({ 'service/src/domain/payments/settings.ts': 'fault/doubles/short-payment-settings.ts' }),
  /** A service that starts on any files, as before their identity was noted. */
  skipFileCheck: replaceModules({ 'service/src/app/database-files.ts': 'fault/doubles/unchecked-files.ts' }),
  /** A service that does not follow the audit chains. */
  skipFreshness: replaceModules({ 'service/src/domain/freshness/chain-follower.ts': 'fault/doubles/no-chain-follower.ts' }),
  /** The merchant's endpoint is called before a payment, and never notified after it. */
  skipNotification: replaceModules({ 'service/src/adapters/merchant-api/observe-merchant-api.ts': 'fault/doubles/unnotified-endpoint.ts' }),
  /** The end of an attempt does not make the next event of its object due. */
  skipWakeUp: replaceModules({ 'service/src/store/deliveries.ts': 'fault/doubles/deliveries-without-wake-up.ts' }),
  /** The card network and the SMS gateway are as slow as an experiment says. */
  slowPeers: replaceModules({
    'service/src/adapters/network/network-adapters.ts': 'fault/doubles/slow-network.ts',
    'service/src/adapters/sms/sms-adapters.ts': 'fault/doubles/slow-sms.ts',
  }),
  /** A slow processor. The processor is outside of the service, and how fast it is depends on the machine, so its speed is planted. */
  slowProcessor: replaceModules({ 'service/src/server/reader/read-calls.ts': 'fault/doubles/slow-read-calls.ts' }),
  /** The store takes fifty writes a second, of all workers together. */
  slowWrites: replaceModules({
    'service/src/store/sqlite/sqlite.ts': 'fault/doubles/slow-store.ts',
    'service/src/store/postgres/postgres.ts': 'fault/doubles/slow-store.ts',
  }),
  /** A request that ends without an outcome leaves its lease, so that its duplicates wait for the end of it. */
  stuckLeases: replaceModules({ 'service/src/store/idempotency.ts': 'fault/doubles/lease-not-ended.ts' }),
  /** The thread that answers requests reads and writes the key store itself. */
  synchronousKeys: replaceModules({ 'service/src/store/sqlite/keys.ts': 'fault/doubles/synchronous-key-store.ts' }),
  /** Whatever the clock says is a reason to destroy. */
  trustAnyClock: replaceModules({ 'service/src/domain/clock-guard.ts': 'fault/doubles/trusting-clock-guard.ts' }),
  /** Calls of outside systems have no places of their own and no breaker, as before. */
  unboundedPeers: replaceModules({ 'service/src/domain/limits/peers.ts': 'fault/doubles/peers-without-bounds.ts' }),
  /** Reads and writes wait for their database as long as it takes. */
  unlimitedWaits: replaceModules({ 'service/src/store/time-limits.ts': 'fault/doubles/unlimited-time-limits.ts' }),
  /** Measures every duration by the wall clock. */
  useWallClock: replaceModules({ 'service/src/system-clock.ts': 'fault/doubles/wall-clock.ts' }),
}

/** What a process preloads to get one module in place of another. Paths are from the root: the module, then its double. */
function replaceModules(doubles: Readonly<Record<string, string>>): URL {
  return new URL(`./doubles/replace-modules.ts?${new URLSearchParams(doubles).toString()}`, import.meta.url)
}
