import { mayRunAgain } from './find-tests.ts'
import type { FileResult } from './run-file.ts'
import { allowedSkips } from './skips.ts'
import { listFailures } from './tally.ts'

export type SecondRunOptions = {
  root: string
  signal: AbortSignal
  runAgain: (path: string) => Promise<FileResult>
  say: (text: string) => void
}

/** About one in a hundred. More failed files than this are no accident, and none of them is run again. */
export const maxRetriedFiles = 6

/**
 * Runs files that failed once more, one after the other, so that one unlucky browser or one slow moment of the disk does not fail an hour of tests. The second result
 * replaces the first and holds it. See docs/decisions/0033-second-run.md.
 */
export async function retryFailed(
  results: readonly FileResult[],
  { root, signal, runAgain, say }: SecondRunOptions,
): Promise<FileResult[]> {
  const failed = results.filter((result) => listFailures(result, allowedSkips).length > 0)
  if (failed.length > maxRetriedFiles) {
    say(`${failed.length} files failed, more than ${maxRetriedFiles}: none is run again.\n`)
    return [...results]
  }
  const final = [...results]
  for (const failedRun of failed.filter(({ path }) => mayRunAgain(root, path))) {
    if (signal.aborted) break
    say(`Once more, alone: ${failedRun.path}\n`)
    final[final.indexOf(failedRun)] = { ...(await runAgain(failedRun.path)), failedRun }
  }
  return final
}
