import type { ProofChallenge, ProofOfWork } from '@tessera/contract/proof-of-work'

import type { ProofWorkerMessage } from './proof-worker.ts'

/** Defined by the build: the file of the worker. */
declare const proofWorkerFile: string

/** Solves a challenge in a worker. `onProgress` gets the share of the work that is probably done. Rejects when the signal is aborted. */
export function solveProof(proofChallenge: ProofChallenge, { signal, onProgress }: SolveOptions): Promise<ProofOfWork> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const worker = new Worker(workerUrl() as string)
    const end = (): void => {
      worker.terminate()
      signal.removeEventListener('abort', abort)
    }
    const abort = (): void => {
      end()
      reject(new DOMException('', 'AbortError'))
    }
    signal.addEventListener('abort', abort)
    worker.addEventListener('error', () => {
      end()
      reject(new Error('the worker failed'))
    })
    worker.addEventListener('message', ({ data }: MessageEvent<ProofWorkerMessage>) => {
      // After as many hashes as are expected, two in three searches have ended.
      if ('hashes' in data) {
        onProgress(1 - Math.exp(-data.hashes / 2 ** proofChallenge.bits))
        return
      }
      end()
      resolve({ challenge: proofChallenge.challenge, nonce: data.nonce })
    })
    worker.postMessage(proofChallenge)
  })
}

export interface SolveOptions {
  readonly signal: AbortSignal
  readonly onProgress: (share: number) => void
}

interface WorkerUrlPolicy {
  createScriptURL(input: string): unknown
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: (input: string) => string }): WorkerUrlPolicy
}

let policy: WorkerUrlPolicy | null = null

/** The only script URL that the page may make: the policy ignores what it is given (Trusted Types). */
function workerUrl(): unknown {
  const url = `/dashboard/assets/${proofWorkerFile}`
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes }
  if (trustedTypes === undefined) return url
  policy ??= trustedTypes.createPolicy('tessera-worker', { createScriptURL: () => url })
  return policy.createScriptURL('')
}
