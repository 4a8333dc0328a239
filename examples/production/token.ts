import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../tools/find-program.ts'

/** A PKCS#11 token for the key encryption key: SoftHSM2 of Debian, in place of an HSM. */
export interface Token {
  /** What the module reads, besides the settings. */
  readonly env: Readonly<Record<string, string>>
  /** Flags of `tessera`. */
  readonly settings: readonly string[]
  /** Settings of another key in the same token, to which the KEK is changed while everything runs. */
  readonly nextFile: string
  /** Where the module finds its tokens. */
  readonly tokenFolder: string
  /** Makes an empty token of the same label and PIN in a folder of its own. Returns what the module reads then. */
  makeOther: (folder: string) => Readonly<Record<string, string>>
}

export function makeToken(folder: string): Token {
  const softhsm = findOnPath('softhsm2-util') ?? fail('softhsm2-util')
  const module =
    ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/softhsm/libsofthsm2.so', '/usr/lib64/libsofthsm2.so'].find(existsSync) ??
    fail('libsofthsm2.so')
  const pin = String(randomInt(10_000_000, 100_000_000))
  const pinFile = join(folder, 'pin')
  writeFileSync(pinFile, `${pin}\n`, { mode: 0o600 })
  const make = (tokenFolder: string): { readonly SOFTHSM2_CONF: string } => {
    const env = { SOFTHSM2_CONF: `${tokenFolder}.conf` }
    mkdirSync(tokenFolder)
    writeFileSync(env.SOFTHSM2_CONF, `directories.tokendir = ${tokenFolder}\nlog.level = ERROR\n`)
    const given = ['--init-token', '--free', '--label', 'cards', '--so-pin', String(randomInt(10_000_000, 100_000_000)), '--pin', pin]
    execFileSync(softhsm, given, { stdio: 'ignore', env: { ...process.env, ...env } })
    return env
  }
  const tokenFolder = join(folder, 'tokens')
  const env = make(tokenFolder)
  const settings = ['--kek=pkcs11', `--kek-pkcs11-module=${module}`, '--kek-pkcs11-token=cards', `--kek-pkcs11-pin-file=${pinFile}`]
  const nextFile = join(folder, 'next-kek.json')
  const next = { kek: 'pkcs11', kekPkcs11Module: module, kekPkcs11Token: 'cards', kekPkcs11Key: 'next', kekPkcs11PinFile: pinFile }
  writeFileSync(nextFile, JSON.stringify(next))
  return { env, settings, nextFile, tokenFolder, makeOther: make }
}

function fail(program: string): never {
  throw new Error(`${program} is missing: npm run peers installs Debian's softhsm2`)
}
