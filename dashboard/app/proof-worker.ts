// A Web Worker that solves one challenge, so that the page stays responsive. Posts how many hashes it has made, and at last the nonce.
import { findProof, type ProofChallenge } from '@tessera/contract/proof-of-work'

export type ProofWorkerMessage = { readonly hashes: number } | { readonly nonce: number }

self.addEventListener('message', ({ data }: MessageEvent<ProofChallenge>) => {
  for (let from = 0; ; from += stepHashes) {
    const nonce = findProof(data, { from, count: stepHashes })
    const message: ProofWorkerMessage = nonce === null ? { hashes: from + stepHashes } : { nonce }
    self.postMessage(message)
    if (nonce !== null) return
  }
})

/** Some 30 ms of a desktop computer. */
const stepHashes = 32_768
