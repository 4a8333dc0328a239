import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { bundleClient } from './bundle.ts'

/** Where the types of the library are in the repository. They are checked in, because the service is built without a compiler. */
export const clientTypesPath = 'client/printed/index.d.ts'

/** The server-side library as `npm pack` would pack it, for the service to serve: the same bytes from the same sources. */
export async function packClient(root: string): Promise<Buffer> {
  const read = (path: string): string => readFileSync(join(root, path), 'utf8')
  const entry = join(root, 'client', 'src', 'index.ts')
  const { devDependencies: _, scripts: _scripts, ...manifest } = JSON.parse(read('client/package.json')) as Record<string, unknown>
  const types = read(clientTypesPath)
  return packTarball([
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['LICENSE', read('LICENSE')],
    ['README.md', read('client/README.md')],
    ['dist/index.js', await bundleClient(entry, 'esm')],
    ['dist/index.cjs', await bundleClient(entry, 'cjs')],
    ['dist/index.d.ts', types],
    ['dist/index.d.cts', types],
  ])
}

/** A package for npm: a gzipped tar archive (POSIX ustar) with the files in a folder `package`. */
function packTarball(files: readonly (readonly [path: string, text: string])[]): Buffer {
  const blocks = files.flatMap(([path, text]) => {
    const bytes = Buffer.from(text)
    return [header(`package/${path}`, bytes.length), bytes, Buffer.alloc(-bytes.length & (blockBytes - 1))]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]), { level: 9 })
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  block.write(path, 0, 100)
  block.write(octal(0o644, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(size, 11), 124)
  block.write(octal(packedAt, 11), 136)
  // Eight blanks stand for the checksum while it is computed.
  block.write('        0', 148)
  block.write('ustar\x0000', 257)
  const sum = block.reduce((all, byte) => all + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

const blockBytes = 512
/** The time that npm gives to every file of a package, so that the same files make the same archive. */
const packedAt = Date.UTC(1985, 9, 26, 8, 15) / 1000
