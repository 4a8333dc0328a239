import { ExitError } from '../exits.ts'

import { printTable, requireArguments, type Command, type CommandInput } from './command.ts'
import { callService } from './control-client.ts'
import { readMerchantFile, wordOf, type FileMerchant, type MerchantFile } from './merchant-file.ts'
import { openPasswordFile, type IssuedPassword, type PasswordFile } from './password-file.ts'

export const merchantsImport: Command = {
  name: 'merchants import',
  args: '<file.csv|file.json>',
  summary: 'Creates the merchants of a file, and hands out their passwords once.',
  details:
    'The file is validated as a whole before the first merchant is created. Merchants that exist already, by business id where every line has one and by name otherwise, ' +
    'are left as they are, so the same command continues an import that was interrupted. Columns of CSV are the options of tessera merchants create, without dashes.',
  options: [
    {
      name: 'passwords',
      takes: '<file>',
      meaning: 'CSV file that the passwords are written to; it is created for this user alone (0600).',
    },
    { name: 'print', meaning: 'Print the passwords instead. An interrupted import then has to be continued with new passwords.' },
    { name: 'dry-run', meaning: 'Validate the file and say what would be created.' },
  ],
  run: runImport,
}

interface ImportResult {
  readonly created: IssuedPassword[]
  /** Existed before, by key. */
  readonly existing: string[]
  /** Got another password, because an interrupted import had created them without handing one out. */
  readonly reissued: string[]
}

async function runImport(input: CommandInput): ReturnType<Command['run']> {
  const [path = ''] = requireArguments(input.args, 1, 1, 'merchants import <file.csv|file.json> --passwords <file>')
  const [target, isPrinted, isDry] = [input.options.get('passwords') ?? '', input.options.has('print'), input.options.has('dry-run')]
  if (!isDry && (target === '') !== isPrinted) throw new ExitError('usage', 'Give either --passwords <file> or --print, or --dry-run.')
  const file = readMerchantFile(path)
  const existing = await findExisting(input, file)
  if (isDry) return describeDryRun(file, existing)
  const passwords = isPrinted ? null : openPasswordFile(target, file.keyName)
  const result: ImportResult = { created: [], existing: [], reissued: [] }
  const startedAt = performance.now()
  for (const [done, merchant] of file.merchants.entries()) {
    const seconds = (performance.now() - startedAt) / 1000
    input.progress.show({ stage: 'merchants', done, total: file.merchants.length, seconds })
    await importOne(input, merchant, { existing, passwords, result })
  }
  passwords?.close()
  return describeResult(result, isPrinted ? null : target)
}

interface ImportState {
  /** Ids of the merchants of the service, by key. */
  readonly existing: ReadonlyMap<string, string>
  readonly passwords: PasswordFile | null
  readonly result: ImportResult
}

async function importOne(input: CommandInput, { key, patch }: FileMerchant, { existing, passwords, result }: ImportState): Promise<void> {
  const merchantId = existing.get(key)
  const isPending = passwords?.pending === key
  if (merchantId !== undefined && !isPending) {
    result.existing.push(key)
    return
  }
  if (passwords?.done.has(key) === true && merchantId === undefined)
    throw new ExitError(
      'usage',
      `The passwords file has ${key}, which this service has not: name another file, or the service that it belongs to.`,
    )
  passwords?.begin(key)
  const issued =
    merchantId === undefined ? await callService(input, 'operator.merchants.create', { patch }) : await reissuePassword(input, merchantId)
  const { name, businessId, password } = issued
  if (merchantId !== undefined) result.reissued.push(key)
  const entry = { name, businessId, merchantId: issued.merchantId, password }
  passwords?.finish(entry)
  result.created.push(entry)
}

/** Replaces the password of a merchant that an interrupted import has created, and that nobody has received. */
async function reissuePassword(input: CommandInput, merchantId: string) {
  const before = await callService(input, 'operator.merchants.get', { merchantId })
  const active = before.passwords.filter(({ retiredAt }) => retiredAt === null)
  if (active.some(({ lastUsedAt }) => lastUsedAt !== null))
    throw new ExitError(
      'usage',
      `Merchant ${merchantId} (${before.name}) uses its password already: remove the file .pending beside the passwords.`,
    )
  // Two are active when this was interrupted, too.
  const [newest, ...older] = active.sort((a, b) => b.number - a.number)
  for (const { number } of older) await callService(input, 'operator.passwords.retire', { merchantId, number })
  const issued = await callService(input, 'operator.passwords.rotate', { merchantId })
  if (newest !== undefined) await callService(input, 'operator.passwords.retire', { merchantId, number: newest.number })
  return issued
}

/** The merchants of the service whose key is in the file. */
async function findExisting(input: CommandInput, { keyName, merchants }: MerchantFile): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(merchants.map(({ key }) => key))
  const found = new Map<string, string>()
  for (let after = ''; ;) {
    const page = await callService(input, 'operator.merchants.list', { after, count: pageLength })
    for (const merchant of page.merchants) {
      const key = merchant[keyName]
      if (!wanted.has(key)) continue
      if (found.has(key))
        throw new ExitError(
          'usage',
          `Two merchants have the ${wordOf(keyName)} ${key}: ${found.get(key) ?? ''} and ${merchant.merchantId}. Nothing was created.`,
        )
      found.set(key, merchant.merchantId)
    }
    if (page.merchants.length < pageLength) return found
    after = page.merchants.at(-1)?.merchantId ?? ''
  }
}

function describeDryRun({ keyName, merchants }: MerchantFile, existing: ReadonlyMap<string, string>) {
  const create = merchants.filter(({ key }) => !existing.has(key)).map(({ key }) => key)
  const data = { key: wordOf(keyName), create, existing: [...existing.keys()] }
  const text = `The file is in order. ${String(create.length)} merchants would be created; ${String(existing.size)} exist already, by their ${wordOf(keyName)}.`
  return { exit: 'done', data, text } as const
}

function describeResult({ created, existing, reissued }: ImportResult, target: string | null) {
  const counts = `${String(created.length - reissued.length)} merchants were created; ${String(existing.length)} existed already and were left as they are.`
  const again =
    reissued.length === 0 ? [] : [`${reissued.join(', ')} was created by an import that was interrupted, and got another password.`]
  const where =
    target === null
      ? printTable(
          ['merchant', 'password', 'name'],
          created.map((each) => [each.merchantId, each.password, each.name]),
        )
      : handOut(target)
  // In a file they are handed out once.
  const shown = target === null ? created : created.map(({ password: _password, ...merchant }) => merchant)
  return { exit: 'done', data: { created: shown, existing, reissued }, text: [counts, ...again, where].join('\n') } as const
}

function handOut(target: string): string {
  return `Their passwords are in ${target}, and nowhere else: hand them out, then delete it. X-Auth of a server is <merchant>:<password>.`
}

const pageLength = 500
