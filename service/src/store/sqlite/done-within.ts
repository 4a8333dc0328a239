/** Waits for the end of a worker thread, which a disk may block for ever. False: it has not ended after `ms`. */
export async function isDoneWithin(ms: number, done: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, ms, false)))
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer))
}
