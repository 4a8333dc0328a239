// needs: softhsm
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'

import { findOnPath } from '../../../../tools/find-program.ts'
import { sandbox } from '../../adapters/sandbox/sandbox.ts'
import { makeScratch, runTessera } from '../../testing/child.fixture.ts'
import { startCustodied, type CustodiedService } from '../../testing/custodians.fixture.ts'

// The KEK from the development file to a real PKCS#11 token, and from there to custodians' shares and back, with cards that stay.

const scratch = makeScratch()
const data = join(scratch, 'data')
const env = { SOFTHSM2_CONF: join(scratch, 'softhsm2.conf') }
const modulePath = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/libsofthsm2.so'].find((path) => existsSync(path)) ?? 'missing'
const token = { kek: 'pkcs11', kekPkcs11Module: modulePath, kekPkcs11Token: 'cards', kekPkcs11PinFile: join(scratch, 'pin') }
const tokenFile = join(scratch, 'token.json')

before(() => {
  for (const folder of [join(scratch, 'tokens'), data]) mkdirSync(folder, { mode: 0o700 })
  writeFileSync(env.SOFTHSM2_CONF, `directories.tokendir = ${join(scratch, 'tokens')}\nlog.level = ERROR\n`)
  writeFileSync(join(scratch, 'pin'), '246810\n', { mode: 0o600 })
  writeFileSync(tokenFile, JSON.stringify(token))
  const softhsm = findOnPath('softhsm2-util') ?? assert.fail('softhsm2-util is missing: npm run peers installs it')
  execFileSync(softhsm, ['--init-token', '--free', '--label', 'cards', '--so-pin', '13579', '--pin', '246810'], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  })
})

test('the KEK moves from file to token to shares to token, each time by rewrap, and the cards open', async () => {
  const toToken = { ...env, TESSERA_KEK_NEXT_FILE: tokenFile }
  assert.equal((await runTessera(['keys', 'init', '--next', `--data=${data}`], toToken).ended).code, 0)
  const onFile = await startCustodied(data, [], toToken)
  await onFile.untilState('ready')
  const cards = [await createCard(onFile)]
  assert.equal((await onFile.operator('operator.keys.rewrap', {})).result?.left, 0)
  await stop(onFile)

  const onToken = await startCustodied(data, [`--config=${tokenFile}`], env)
  await onToken.untilState('ready')
  const { setId, shares } = await onToken.makeShares({ shares: 3, threshold: 2 })
  assert.equal((await onToken.operator('operator.keys.rewrap', {})).reason, 'rewrap_no_next')
  await onToken.enter(...shares.slice(0, 2))
  assert.equal((await onToken.operator('operator.keys.rewrap', {})).result?.kekId, `shares-${setId}`)
  cards.push(await createCard(onToken))
  await stop(onToken)

  // The setting is the former one still: what the keys need is read from them.
  const withFormerSetting = await startCustodied(data, [`--config=${tokenFile}`], env)
  await withFormerSetting.untilState('sealed')
  await stop(withFormerSetting)

  const onShares = await startCustodied(data, ['--kek=shares'], toToken)
  await onShares.untilState('sealed')
  await onShares.enter(...shares.slice(1))
  await onShares.untilState('ready')
  for (const card of cards) await checkCard(onShares, card)
  cards.push(await createCard(onShares))
  await onShares.agree(...shares.slice(1))
  assert.match((await onShares.operator('operator.keys.rewrap', {})).result?.kekId ?? '', /^pkcs11-/)
  await stop(onShares)

  const backOnToken = await startCustodied(data, [`--config=${tokenFile}`], env)
  await backOnToken.untilState('ready')
  for (const card of cards) await checkCard(backOnToken, card)
  assert.deepEqual((await backOnToken.operator('operator.keys.verify', {})).result?.findings, [])
  const retired = await backOnToken.operator('operator.shares.enter', { share: shares[0] ?? '', custodian: 'a' })
  assert.equal(retired.reason, 'share_of_retired_set')
  await stop(backOnToken)
})

async function createCard(node: CustodiedService): Promise<string> {
  const params = { card: { number: '8600069195406311', expire: '0399' }, save: true }
  return (await call(node, 'cards.create', params, sandbox.demo.merchantId)) ?? assert.fail('no card')
}

async function checkCard(node: CustodiedService, card: string): Promise<void> {
  const { merchantId, password } = sandbox.demo
  assert.equal(await call(node, 'cards.check', { token: card }, `${merchantId}:${password}`), card)
}

async function call({ url }: CustodiedService, method: string, params: object, xAuth: string): Promise<string | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(`${url}/api/${method}`, { method: 'POST', headers: { 'x-auth': xAuth }, body })
  return ((await response.json()) as { result?: { card: { token: string } } }).result?.card.token
}

async function stop(node: CustodiedService): Promise<void> {
  node.kill('SIGTERM')
  assert.equal((await node.ended).code, 0, node.err())
}
