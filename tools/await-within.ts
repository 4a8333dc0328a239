// For the tests and tools of every folder.

/** Waits for a promise that has no limit of its own. Rejects with `what` when it is not settled after that many seconds. */
export async function awaitWithin<T>(promise: Promise<T>, what: string, seconds = 30): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what}: not in ${seconds} s`)), seconds * 1000)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
