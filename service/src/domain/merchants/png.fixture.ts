import { crc32, deflateSync } from 'node:zlib'

export interface PngOptions {
  readonly width?: number
  /** Rows of pixels that the file has; the header says 64. */
  readonly rows?: number
  readonly color?: number
  /** Samples of a pixel. */
  readonly samples?: number
  readonly interlace?: number
  /** Chunks before the pixels. */
  readonly extra?: readonly Buffer[]
  readonly pixels?: Buffer
}

/** A PNG of one color, 64 pixels high and 8 bits a sample. */
export function makePng({ width = 64, rows = 64, color = 6, samples = 4, interlace = 0, extra = [], pixels }: PngOptions): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(64, 4)
  header.set([8, color, 0, 0, interlace], 8)
  const data = pixels ?? Buffer.alloc(rows * (1 + width * samples), 1)
  for (let row = 0; pixels === undefined && row < rows; row++) data[row * (1 + width * samples)] = 0
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', deflateSync(data)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
