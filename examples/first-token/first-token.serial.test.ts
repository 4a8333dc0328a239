import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

import { startTessera, type StartedTessera } from '../../tools/start-tessera.ts'

const scripts: [title: string, program: string, file: string][] = [
  ['the shell script', 'sh', 'first-token.sh'],
  ['the TypeScript script', process.execPath, 'first-token.ts'],
]

let tessera: StartedTessera
let otherServer: Server

before(async () => {
  tessera = await startTessera()
  otherServer = createServer((_request, response) => response.end('<h1>It works!</h1>'))
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  otherServer.close()
  await tessera.stop()
})

for (const [title, program, file] of scripts) {
  const run = (env: Record<string, string>) => runScript(program, file, env)

  describe(title, () => {
    it('creates and verifies a token in both profiles', async () => {
      const { code, stdout, stderr } = await run({ TESSERA_URL: tessera.url })
      assert.equal(stderr, '')
      assert.equal(code, 0)
      assert.equal(stdout.replaceAll(/token [0-9a-f]{12}…/g, 'token …'), expected(tessera))
    })

    it('says what to do when no service is running', async () => {
      const { code, stderr } = await run({ TESSERA_URL: 'http://127.0.0.1:1' })
      assert.equal(code, 1)
      assert.match(stderr, /No service responds at http:\/\/127\.0\.0\.1:1\. Start it with npm start, or set its address: TESSERA_URL=/)
    })

    it('says what to do when the merchant is unknown', async () => {
      const { code, stderr } = await run({ TESSERA_URL: tessera.url, MERCHANT_ID: '000000000000000000000000' })
      assert.equal(code, 1)
      assert.match(stderr, /^cards\.create failed: Access denied\. \(code -32504, reason merchant_unknown\)\nSet MERCHANT_ID /)
    })

    it('says what to do when the password is wrong', async () => {
      const { code, stderr } = await run({ TESSERA_URL: tessera.url, MERCHANT_PASSWORD: 'wrong' })
      assert.equal(code, 1)
      assert.match(stderr, /^cards\.check failed: Access denied\. \(code -32504, reason access_denied\)\nSet MERCHANT_PASSWORD /)
    })

    it('reports another server at the address', async () => {
      const address = otherServer.address()
      assert.ok(typeof address === 'object' && address !== null)
      const { code, stderr } = await run({ TESSERA_URL: `http://127.0.0.1:${address.port}` })
      assert.equal(code, 1)
      assert.match(stderr, /Is this Tessera\?/)
    })
  })
}

function expected({ url, merchantId }: StartedTessera): string {
  const steps = (mask: string) => [
    `  cards.create           browser  ${mask}, token …, verify false`,
    '  cards.get_verify_code  browser  a code goes to 99890*****66',
    '  cards.verify           browser  verify true',
    '  cards.check            server   verify true',
  ]
  const spec = ['spec profile: POST /api/<method>', ...steps('8600***6311')]
  const subscribe = ['subscribe profile: POST /api', ...steps('860006******6311')]
  const done = 'Done. The token replaces the card from now on; the card number stays in the vault.'
  return [`Tessera at ${url}, merchant ${merchantId}`, '', ...spec, '', ...subscribe, '', done, ''].join('\n')
}

function runScript(program: string, file: string, env: Record<string, string>): Promise<{ code: number; stdout: string; stderr: string }> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return new Promise((resolve) => {
    execFile(program, [path], { env: { PATH: process.env.PATH, ...env }, timeout: 30_000 }, (err, stdout, stderr) =>
      resolve({ code: err === null ? 0 : Number(err.code ?? 1), stdout, stderr }),
    )
  })
}
