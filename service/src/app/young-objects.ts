import { setFlagsFromString } from 'node:v8'

/**
 * Lets V8 allocate every object in the young generation, in all threads, until the returned function is called. By default it allocates the objects of a
 * place of the program in the old generation once most of them have survived a scavenge, and does so for the rest of the process; a scavenge that meets a queue
 * of calls is enough. What calls leave is then freed by major collections alone, of which each is a pause (decision 141).
 *
 * Compiled code is cached for the flags it was made with. So this is called when the program has been loaded, and undone before it ends, which is when Node
 * writes the cache.
 */
export function allocateYoungOnly(): () => void {
  setFlagsFromString('--no-allocation-site-pretenuring')
  return () => setFlagsFromString('--allocation-site-pretenuring')
}
