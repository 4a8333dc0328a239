import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { listResolutionProblems } from '../package-resolution.ts'
import { buildClient, printPackedTypes } from './build.ts'
import { clientTypesPath, packClient } from './tarball.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
let shop: string
let installed: string

before(async () => {
  shop = mkdtempSync(join(tmpdir(), 'tessera-shop-'))
  installed = join(shop, 'node_modules', '@tessera', 'client')
  mkdirSync(installed, { recursive: true })
  for (const name of ['package.json', 'README.md']) cpSync(join(root, 'client', name), join(installed, name))
  await buildClient(root, join(installed, 'dist'))
  symlinkSync(join(root, 'node_modules', '@types'), join(shop, 'node_modules', '@types'))
  symlinkSync(join(root, 'node_modules', 'undici-types'), join(shop, 'node_modules', 'undici-types'))
})
after(() => rmSync(shop, { recursive: true, force: true }))

/** Every Node on this machine that the library supports: the one that runs this test, and those in PATH. */
const nodes = [...new Map([process.execPath, ...nodesInPath()].map((node) => [versionOf(node), node]))].filter(([version]) => version >= 20)

const uses = `
  const client = new Tessera({ url: 'http://127.0.0.1:1', merchantId: '65f0c0ffee0000000000cafe', password: 'secret', retriesMax: 0 })
  client.outcome('cards.check', { token: 'x' }).then((outcome) => {
    console.log(JSON.stringify([outcome.problem.reason, typeof verifyWebhook, new TesseraError('m', outcome) instanceof Error, receiptStates.paid]))
  })
`
const imports = 'Tessera, TesseraError, receiptStates, verifyWebhook'

describe('the built library', () => {
  for (const [version, node] of nodes) {
    it(`can be imported as an ES module in Node ${version}`, async () => {
      const file = join(shop, `esm-${version}.mjs`)
      writeFileSync(file, `import { ${imports} } from '@tessera/client'\n${uses}`)
      assert.equal(await run(node, [file]), '["no_answer","function",true,4]\n')
    })

    it(`can be required as a CommonJS module in Node ${version}`, async () => {
      const file = join(shop, `cjs-${version}.cjs`)
      writeFileSync(file, `const { ${imports} } = require('@tessera/client')\n${uses}`)
      assert.equal(await run(node, [file]), '["no_answer","function",true,4]\n')
    })
  }

  it('imports nothing but node:crypto, and its types import nothing', () => {
    const read = (name: string): string => readFileSync(join(installed, 'dist', name), 'utf8')
    const modules = (text: string): string[] =>
      [...text.matchAll(/\b(?:from|require\(|import\()\s*["']([^"']+)/g)].map(([, name = '']) => name)
    assert.deepEqual([...new Set([...modules(read('index.js')), ...modules(read('index.cjs'))])], ['node:crypto'])
    assert.deepEqual(modules(read('index.d.ts')), [])
    assert.equal(read('index.d.ts'), read('index.d.cts'))
  })

  it('passes publint, and resolves with the types of each kind of module', async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: 'npm', strict: true })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    )
    assert.deepEqual(await listResolutionProblems(installed), [])
  })

  for (const extension of ['mts', 'cts']) {
    it(`has types for a .${extension} file, which reject wrong uses`, async () => {
      const usage = join(shop, `usage.${extension}`)
      cpSync(join(root, 'tools', 'client', 'usage.fixture.ts'), usage)
      const flags = [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--module',
        'nodenext',
        '--target',
        'es2022',
        '--types',
        'node',
      ]
      assert.equal(await run(process.execPath, [join(root, 'node_modules/typescript-7/bin/tsc'), ...flags, usage]), '')
    })
  }
})

function run(program: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: shop, timeout: 60_000 }, (_err, stdout, stderr) => resolve(stdout + stderr))
  })
}

function nodesInPath(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'node')).filter((file) => existsSync(file))
}

function versionOf(node: string): number {
  return Number(/^v(\d+)\./.exec(spawnSync(node, ['--version'], { encoding: 'utf8', timeout: 10_000 }).stdout)?.[1] ?? 0)
}

describe('the archive that the service serves', () => {
  it('has the files of the package, and the same bytes each time', async () => {
    const archive = await packClient(root)
    assert.deepEqual(archive, await packClient(root))
    const listed = spawnSync('tar', ['-tzf', '-'], { input: archive, encoding: 'utf8' })
    assert.equal(listed.stderr, '')
    const files = ['package.json', 'LICENSE', 'README.md', 'dist/index.js', 'dist/index.cjs', 'dist/index.d.ts', 'dist/index.d.cts']
    assert.deepEqual(
      listed.stdout.trim().split('\n'),
      files.map((name) => `package/${name}`),
    )
    const unpacked = mkdtempSync(join(tmpdir(), 'tessera-archive-'))
    assert.equal(spawnSync('tar', ['-xzf', '-', '-C', unpacked], { input: archive }).status, 0)
    for (const name of files.filter((each) => each.startsWith('dist/')))
      assert.equal(readFileSync(join(unpacked, 'package', name), 'utf8'), readFileSync(join(installed, name), 'utf8'), name)
    rmSync(unpacked, { recursive: true })
  })

  it('has the types of the code, as npm run docs prints them', () => {
    assert.equal(readFileSync(join(root, clientTypesPath), 'utf8'), printPackedTypes(root))
  })
})
