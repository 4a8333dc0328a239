import { availableParallelism, cpus, freemem } from 'node:os'

/**
 * Whether, since the last call, half of a processor was idle, on average, and there is memory for more work. A processor that waits for a disk is idle:
 * something else may use it.
 */
export function watchIdleProcessors(read: () => ProcessorTimes | null = readProcessorTimes, readFreeBytes = freemem): () => boolean {
  let before = read()
  return () => {
    const [earlier, now] = [before, read()]
    before = now
    if (earlier === null || now === null || now.atMs <= earlier.atMs) return false
    const busy = (now.busyMs - earlier.busyMs) / (now.atMs - earlier.atMs)
    return now.count - busy >= minIdleProcessors && readFreeBytes() >= minFreeBytes
  }
}

/** `busyMs`: of all processors together, since the machine was started, until `atMs`. */
export type ProcessorTimes = { count: number; atMs: number; busyMs: number }

/** Null where this process may use only some of what the machine has, such as in a container: then it cannot be seen how busy these are. */
export function readProcessorTimes(): ProcessorTimes | null {
  const processors = cpus()
  if (processors.length === 0 || availableParallelism() < processors.length) return null
  const busyMs = processors.reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  return { count: processors.length, atMs: performance.now(), busyMs }
}

const minIdleProcessors = 0.5
const minFreeBytes = 2 * 2 ** 30
