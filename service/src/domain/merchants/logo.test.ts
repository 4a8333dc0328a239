import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'

import { SettingProblem } from '@tessera/contract/setting-problems'

import { makePng, pngChunk } from './png.fixture.ts'
import { hashLogo, maxLogoBytes, readLogo, type Logo } from './logo.ts'

test('a PNG is written anew: the same pixels, and nothing that is not needed to draw them', () => {
  const secret = Buffer.from('comment\0taken at home, 41.31 N 69.28 E')
  const file = Buffer.concat([
    makePng({ extra: [pngChunk('tEXt', secret), pngChunk('eXIf', secret)] }),
    Buffer.from('<script>alert(1)</script>'),
  ])
  const { png, sha256 } = accepted(file)
  assert.ok(!png.includes('home') && !png.includes('script'))
  assert.deepEqual(chunkTypes(png), ['IHDR', 'IDAT', 'IEND'])
  assert.equal(sha256, hashLogo(png))
  assert.deepEqual(accepted(png).png, png, 'what was written is read and written alike')
  assert.deepEqual(accepted(makePng({})).png, png)
})

test('palette and transparency stay', () => {
  const palette = pngChunk('PLTE', Buffer.from([0, 0, 0, 255, 255, 255]))
  const file = makePng({ color: 3, samples: 1, extra: [palette, pngChunk('tRNS', Buffer.from([0]))] })
  assert.deepEqual(chunkTypes(accepted(file).png), ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])
})

test('anything but a small PNG is refused with what to do', () => {
  const png = makePng({})
  const broken = Buffer.from(png)
  broken[40] = (broken[40] ?? 0) ^ 1
  const cases: [what: string, file: Buffer, code: string][] = [
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), 'logo_not_png'],
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]), 'logo_not_png'],
    ['a GIF', Buffer.from('GIF89a'), 'logo_not_png'],
    ['a wrong checksum', broken, 'logo_not_png'],
    ['no end', png.subarray(0, png.length - 12), 'logo_not_png'],
    ['too narrow', makePng({ width: 16 }), 'logo_sides'],
    ['too wide', makePng({ width: 513 }), 'logo_sides'],
    ['more pixels than it says', makePng({ rows: 65 }), 'logo_not_png'],
    ['fewer pixels than it says', makePng({ rows: 63 }), 'logo_not_png'],
    ['a decompression bomb', makePng({ pixels: Buffer.alloc(20_000_000) }), 'logo_not_png'],
    ['interlaced', makePng({ interlace: 1 }), 'logo_not_png'],
    ['a palette that is missing', makePng({ color: 3, samples: 1 }), 'logo_not_png'],
    ['too many bytes', Buffer.alloc(maxLogoBytes + 1), 'logo_too_large'],
  ]
  for (const [what, file, code] of cases) {
    const read = readLogo(file.toString('base64'))
    assert.equal(read instanceof SettingProblem ? read.code : 'accepted', code, what)
  }
  for (const input of ['', 'not base64!', 17, {}]) assert.ok(readLogo(input) instanceof SettingProblem)
  assert.equal(crc32(Buffer.from('IEND')), 0xae426082)
  assert.ok(deflateSync(Buffer.alloc(20_000_000)).length < maxLogoBytes)
})

function accepted(file: Buffer): Logo {
  const read = readLogo(file.toString('base64'))
  return read instanceof SettingProblem ? assert.fail(read.code) : read
}

function chunkTypes(png: Buffer): string[] {
  return [...png.toString('latin1').matchAll(/IHDR|PLTE|tRNS|IDAT|IEND|tEXt|eXIf/g)].map(([type]) => type)
}
