/**
 * A challenge that is answered by work: find a nonce so that SHA-256 of the challenge and the nonce begins with `bits` zero bits. Each further bit
 * doubles the work, about 2^bits hashes, and checking an answer takes one.
 */
export interface ProofChallenge {
  /** 32 bytes in hex. */
  readonly challenge: string
  readonly bits: number
}

/** An answered challenge. */
export interface ProofOfWork {
  readonly challenge: string
  readonly nonce: number
}

/**
 * Looks for a nonce from `from` on. Returns null after `count` hashes without one, so that the caller can report progress or stop, and goes on later from
 * where it ended. Synchronous: Web Crypto takes about ten times as long for such short texts. 2^18 hashes take some 0.3 s of a desktop computer.
 */
export function findProof({ challenge, bits }: ProofChallenge, { from, count }: { from: number; count: number }): number | null {
  const block = makeBlock(challenge)
  for (let nonce = from; nonce < from + count; nonce++) if (isFound(block, nonce, bits)) return nonce
  return null
}

/** Whether a nonce answers a challenge. False for a challenge that is not 32 bytes in hex. */
export function isProof({ challenge, bits }: ProofChallenge, nonce: number): boolean {
  return /^[0-9a-f]{64}$/.test(challenge) && Number.isSafeInteger(nonce) && nonce >= 0 && isFound(makeBlock(challenge), nonce, bits)
}

/** The first word of the hash has `bits` leading zeros. */
function isFound(block: Int32Array, nonce: number, bits: number): boolean {
  block[8] = Math.floor(nonce / 2 ** 32)
  block[9] = nonce | 0
  return Math.clz32(firstWord(block)) >= bits
}

/** The single block (FIPS 180-4 §5.1.1) of 32 bytes of challenge and 8 of nonce, with room for the message schedule. */
function makeBlock(challenge: string): Int32Array {
  const block = new Int32Array(64)
  for (let word = 0; word < 8; word++) block[word] = Number.parseInt(challenge.slice(word * 8, word * 8 + 8), 16)
  block[10] = 0x80000000
  block[15] = messageBits
  return block
}

/** The first word of SHA-256 of one block (FIPS 180-4 §6.2.2). */
function firstWord(w: Int32Array): number {
  for (let t = 16; t < 64; t++) {
    const x = at(w, t - 15)
    const y = at(w, t - 2)
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[t] = (at(w, t - 16) + s0 + at(w, t - 7) + s1) | 0
  }
  let [a, b, c, d, e, f, g, h]: WorkingWords = initial
  for (let t = 0; t < 64; t++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(roundConstants, t) + at(w, t)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  return (initial[0] + a) | 0
}

type WorkingWords = readonly [number, number, number, number, number, number, number, number]

function at(words: Int32Array, index: number): number {
  return words[index] as number
}

const messageBits = 40 * 8

/** The fractional parts of the square roots of the first 8 primes (FIPS 180-4 §5.3.3). */
const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19] as const

/** The fractional parts of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2). */
// prettier-ignore
const roundConstants = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])
