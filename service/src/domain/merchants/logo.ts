import { createHash } from 'node:crypto'
import { crc32, deflateSync, inflateSync } from 'node:zlib'

import { SettingProblem } from '@tessera/contract/setting-problems'

/** The largest logo file, as it is sent and as it is stored. */
export const maxLogoBytes = 32_768

/** A merchant's logo as it is stored and served: a PNG that was written here. */
export interface Logo {
  readonly png: Buffer
  /** SHA-256 of `png`, hex. The merchant's settings have it, so that their MAC covers the image. */
  readonly sha256: string
}

/**
 * Reads a logo, base64 of a PNG (ISO/IEC 15948), and writes it anew: only size, palette, transparency and pixels are kept, so no text, no location, no
 * second file behind the image and no script of a polyglot is ever served. Pixels are inflated within the bound that the size gives.
 */
export function readLogo(input: unknown): Logo | SettingProblem {
  if (typeof input !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(input)) return new SettingProblem('logo_not_png')
  const file = Buffer.from(input, 'base64')
  if (file.length > maxLogoBytes) return new SettingProblem('logo_too_large', maxLogoBytes / 1024)
  const chunks = readChunks(file)
  const header = chunks?.[0]
  if (chunks === null || header?.type !== 'IHDR' || header.data.length !== 13) return new SettingProblem('logo_not_png')
  const [width, height] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)]
  if ([width, height].some((side) => side < minSide || side > maxSide)) return new SettingProblem('logo_sides', minSide, maxSide)
  const pixels = readPixels(chunks, header.data)
  if (pixels === null) return new SettingProblem('logo_not_png')
  const kept = chunks.filter(({ type }) => type === 'PLTE' || type === 'tRNS')
  const written = [header, ...kept, { type: 'IDAT', data: deflateSync(pixels, { level: 9 }) }, { type: 'IEND', data: Buffer.alloc(0) }]
  const png = Buffer.concat([signature, ...written.map(formatChunk)])
  if (png.length > maxLogoBytes) return new SettingProblem('logo_too_large', maxLogoBytes / 1024)
  return { png, sha256: hashLogo(png) }
}

export function hashLogo(png: Uint8Array): string {
  return createHash('sha256').update(png).digest('hex')
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

/** The chunks up to IEND, each with the right checksum; null for anything else. What follows IEND is not read. */
function readChunks(file: Buffer): readonly Chunk[] | null {
  if (!file.subarray(0, signature.length).equals(signature)) return null
  const chunks: Chunk[] = []
  for (let at = signature.length; at + 12 <= file.length && chunks.length < maxChunks;) {
    const length = file.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > file.length) return null
    const type = file.toString('latin1', at + 4, at + 8)
    if (crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) return null
    if (type === 'IEND') return chunks
    chunks.push({ type, data: file.subarray(at + 8, end) })
    at = end + 4
  }
  return null
}

/** The filtered pixels (§10): exactly as many bytes as the header says; null otherwise. Interlaced images are not read. */
function readPixels(chunks: readonly Chunk[], header: Buffer): Buffer | null {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const [depth = 0, color = 0, compression, filter, interlace] = header.subarray(8)
  const samples = samplesOf.get(color)
  if (samples === undefined || !depthsOf(color).includes(depth) || compression !== 0 || filter !== 0 || interlace !== 0) return null
  if ((color === 3) !== chunks.some(({ type }) => type === 'PLTE') && color !== 2 && color !== 6) return null
  const expected = height * (1 + Math.ceil((width * samples * depth) / 8))
  try {
    const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data))
    const pixels = inflateSync(data, { maxOutputLength: expected })
    return pixels.length === expected ? pixels : null
  } catch {
    return null
  }
}

function formatChunk({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}

function depthsOf(color: number): readonly number[] {
  return color === 0 ? [1, 2, 4, 8, 16] : color === 3 ? [1, 2, 4, 8] : [8, 16]
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** By color type: samples of a pixel. */
const samplesOf: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
])
const minSide = 32
const maxSide = 512
const maxChunks = 64
