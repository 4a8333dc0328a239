/**
 * Whether the server found its own files damaged: data_corrupted or index_corrupted, in the error or what caused it. Without the driver, which a service with
 * an embedded database does not load.
 */
export function hasDamagedCause(err: unknown): err is Error {
  for (let cause = err; cause instanceof Error; cause = cause.cause)
    if (/^XX00[12]$/.test((cause as NodeJS.ErrnoException).code ?? '')) return true
  return false
}
