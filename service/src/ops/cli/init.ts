import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { kekAdapters } from '../../adapters/kms/kek-adapters.ts'
import { sharesKek } from '../../adapters/kms/shares-kek.ts'
import { readConfig, settings, type Config } from '../config/config.ts'
import { secretFileName } from '../config/secret-files.ts'
import { describeExpected, readValue, type Setting } from '../config/values.ts'
import { ExitError } from '../exits.ts'

import { printTable, type CommandInput, type CommandOutcome } from './command.ts'
import { findNextQuestion, type Answers, type InitQuestion } from './init-questions.ts'
import { checkInitPeers, listMissing } from './init-checks.ts'
import { makePrompter, type Prompter } from './prompter.ts'

/**
 * `tessera init`: collects the settings of a production start, from a person or from settings that are given, writes them into a new config file without
 * secrets, and checks what they name. Nothing is written before every question has an answer, and nothing is ever overwritten.
 */
export async function runInit(input: CommandInput): Promise<CommandOutcome> {
  const output = resolve(input.options.get('output') ?? 'tessera.json')
  const folder = resolve(input.options.get('secrets') ?? join(dirname(output), 'secrets'))
  refuseExisting(output)
  const answers = readGiven(input)
  const typed = isInteractive(input) ? await askAll(answers, folder) : new Map<string, string>()
  const secrets = new Map([...typed, ...moveSecrets(answers, folder)])
  for (const path of secrets.keys()) refuseExisting(path)
  for (const [path, secret] of secrets) writeNew(path, `${secret}\n`)
  writeNew(output, `${JSON.stringify(Object.fromEntries(inTableOrder(answers)), null, 2)}\n`)
  return report(output, [...secrets.keys()], input)
}

/** Checks the written file as a start reads it. */
async function report(output: string, secretFiles: readonly string[], input: CommandInput): Promise<CommandOutcome> {
  const { config } = readConfig([`--config=${output}`], {})
  const missing = listMissing(config)
  input.print(input.json ? '' : `Wrote ${[output, ...secretFiles].join(', ')}. Checking what the settings name …\n`)
  const findings = await checkInitPeers(config)
  const isComplete = missing.length === 0 && findings.every(({ ok }) => ok)
  const rows = findings.map(({ ok, check, found, advice }) => [ok ? 'ok' : 'FIX', check, advice === '' ? found : `${found}: ${advice}`])
  const lines = [
    ...(rows.length === 0 ? [] : [printTable(['', 'check', 'found'], rows), '']),
    ...(missing.length === 0 ? [] : ['Still missing for a production start:', ...missing.map((each) => `  ${each}`), '']),
    ...listNextSteps(config, output),
  ]
  return {
    exit: isComplete ? 'done' : 'findings',
    data: { config: output, secrets: secretFiles, findings, missing },
    text: lines.join('\n'),
  }
}

/** The commands from here to the first start. */
function listNextSteps(config: Config, output: string): string[] {
  const values: Readonly<Record<string, unknown>> = config
  const doctor = `  tessera doctor --production --config ${output}`
  const start = `  tessera start --config ${output}`
  const keys = `  tessera keys init --config ${output}`
  if (values[kekAdapters.port] !== sharesKek.name) return ['Next:', `${keys}   (once for all processes that share the keys)`, doctor, start]
  return [
    'Next:',
    doctor,
    `${start}   (sealed until custodians have entered their shares: docs/operating/custodian-shares.md)`,
    `${keys} --shares 5 --threshold 3   (beside the first start)`,
    'then tessera keys take-share and tessera keys unseal, each custodian at a terminal of their own.',
  ]
}

function isInteractive({ json, options }: CommandInput): boolean {
  return !json && !options.has('no-questions') && process.stdin.isTTY
}

/** The settings that flags, environment and `--config` give. They are what the config file will contain, so that they need not be asked. */
function readGiven(input: CommandInput): Map<string, unknown> {
  const { config, origins } = input.settings()
  const given = settings.filter(({ name }) => !neverWritten.has(name) && origins[name] !== 'default' && origins[name] !== 'secret file')
  const values: Readonly<Record<string, unknown>> = config
  return new Map<string, unknown>([['environment', 'production'], ...given.map(({ name }): [string, unknown] => [name, values[name]])])
}

/** Returns the secrets that were typed for files which do not exist yet, by file. */
async function askAll(answers: Map<string, unknown>, folder: string): Promise<Map<string, string>> {
  const prompter = makePrompter(process.stdin, process.stdout, 'interrupted: nothing was written.')
  const skipped = new Set<string>()
  const typed = new Map<string, string>()
  try {
    prompter.print('Every answer can be changed later in the config file. Ctrl-C ends without writing anything.\n')
    for (let question = next(); question !== null; question = next()) {
      const value = question.setting.isSecretFile === true ? await askFile(question, folder, typed) : await askOne(question, prompter)
      if (value === null) skipped.add(question.setting.name)
      else answers.set(question.setting.name, value)
    }
    return typed
  } finally {
    prompter.close()
  }

  /** The file, and when it does not exist yet the secret that it is to have. */
  async function askFile({ setting, text }: InitQuestion, secrets: string, files: Map<string, string>): Promise<string> {
    const byDefault = join(secrets, setting.flag.slice(2).replace(/-file$/, ''))
    const answer = await prompter.ask(`${text} Its path, not the secret itself [${byDefault}]\n> `)
    const path = resolve(answer === '' ? byDefault : answer)
    if (existsSync(path)) return path
    const secret = await prompter.askSecret(
      `${path} does not exist. The secret, which is not shown and is written there; empty: you write the file later\n> `,
    )
    if (secret !== '') files.set(path, secret)
    return path
  }

  function next(): InitQuestion | null {
    return findNextQuestion(answers, (name) => skipped.has(name))
  }
}

/** Asks until the answer is one that the setting accepts; null when it is left empty. */
async function askOne({ setting, text, isOptional }: InitQuestion, prompter: Prompter): Promise<unknown> {
  if (setting.type === 'disclosure') return askDisclosure(text, prompter)
  const byDefault = setting.default === null ? '' : ` [${String(setting.default)}]`
  const prompt = `${text}${byDefault}${setting.secret === true ? ' (what you type is not shown)' : ''}\n> `
  for (;;) {
    const typed = await (setting.secret === true ? prompter.askSecret(prompt) : prompter.ask(prompt))
    if (typed === '' && (isOptional || setting.default !== null)) return null
    if (readValue(setting, typed) !== null) return typed
    prompter.print(`Expected ${describeExpected(setting)}.`)
  }
}

async function askDisclosure(text: string, prompter: Prompter): Promise<Record<string, string>> {
  prompter.print(`${text}, in three languages.`)
  const disclosure: Record<string, string> = {}
  for (const [member, label] of [
    ['version', 'Version of the text, such as 2026-01'],
    ['en', 'English'],
    ['ru', 'Russian'],
    ['uz', 'Uzbek'],
  ] as const) {
    do disclosure[member] = await prompter.ask(`${label}\n> `)
    while (disclosure[member] === '')
  }
  return disclosure
}

/** Takes the secrets out of the answers, and puts the names of their files in. Returns the secrets by file. */
function moveSecrets(answers: Map<string, unknown>, folder: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const setting of settings) {
    const value = answers.get(setting.name)
    if (setting.secret !== true || typeof value !== 'string') continue
    const path = join(folder, setting.flag.slice(2))
    files.set(path, value)
    answers.delete(setting.name)
    answers.set(secretFileName(setting), path)
  }
  return files
}

function inTableOrder(answers: Answers): [string, unknown][] {
  return settings.filter(({ name }: Setting) => answers.has(name)).map(({ name }) => [name, answers.get(name)])
}

function refuseExisting(path: string): void {
  if (!existsSync(path)) return
  throw new ExitError('cannotCreate', `${path} exists, and is not overwritten.`, {
    advice: 'Name another file with --output, another folder with --secrets, or move it away.',
  })
}

/** Throws `ExitError` when the file exists or cannot be written. Only this user can read it. */
function writeNew(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (err) {
    throw new ExitError('cannotCreate', `${path} cannot be written (${(err as NodeJS.ErrnoException).code ?? 'unknown'}).`, { cause: err })
  }
}

const neverWritten: ReadonlySet<string> = new Set(['environment', 'configFile'])
