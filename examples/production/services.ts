import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainEnvironment } from '../../tools/service-child.ts'
import { makeProcess, type ManagedProcess } from './processes.ts'

/** What `tessera init` is told. Everything else has the default of production. */
export interface InstallationOptions {
  readonly folder: string
  readonly settings: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** An installation: its config file, and the command line. */
export interface ProductionInstallation {
  readonly config: string
  readonly env: NodeJS.ProcessEnv
  /** Runs a command. Throws with what it printed when it fails. */
  tessera: (...args: string[]) => Promise<string>
  /** The same in another environment, which gets nothing of the installation's settings. */
  tesseraIn: (env: NodeJS.ProcessEnv, ...args: string[]) => Promise<string>
}

const launcher = fileURLToPath(new URL('../../service/bin/tessera.mjs', import.meta.url))

/** Writes the configuration with `tessera init`, and generates the KEK and the one after it with `tessera keys init`. */
export async function install({ folder, settings, env: given }: InstallationOptions): Promise<ProductionInstallation> {
  const config = join(folder, 'tessera.json')
  const env = { ...plainEnvironment(), ...given }
  const tesseraIn = async (environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string> => {
    const { code, output, errors } = await run(args, environment)
    if (code !== 0) throw new Error(`tessera ${args.join(' ')} ended with ${String(code)}:\n${output}${errors}`)
    return output
  }
  const tessera = (...args: string[]): Promise<string> => tesseraIn(env, ...args)
  // It ends with 1, because the token has no key yet; what is missing afterwards the start says.
  const { code, output, errors } = await run(['init', '--no-questions', `--output=${config}`, ...settings], env)
  if (code !== 0 && code !== 1) throw new Error(`tessera init ended with ${String(code)}:\n${output}${errors}`)
  await tessera('keys', 'init', `--config=${config}`)
  await tessera('keys', 'init', '--next', `--config=${config}`)
  return { config, env, tessera, tesseraIn }
}

/** One process of the service on one machine: its own data folder, the common configuration. */
export interface ServiceProcess {
  readonly process: ManagedProcess
  readonly port: number
  readonly data: string
}

export interface ServicePlace {
  readonly folder: string
  readonly number: number
  readonly port: number
  readonly adminPort: number
}

export async function startServiceProcess(
  installation: ProductionInstallation,
  { folder, number, port, adminPort }: ServicePlace,
): Promise<ServiceProcess> {
  const data = join(folder, `data-${String(number)}`)
  mkdirSync(data, { mode: 0o700 })
  const flags = [`--config=${installation.config}`, `--data=${data}`, `--port=${String(port)}`, `--admin-port=${String(adminPort)}`]
  const service = makeProcess({
    name: `tessera-${String(number)}`,
    command: [process.execPath, launcher, 'start', '--json', '--log-level=warn', ...flags],
    folder,
    env: installation.env,
    isReady: async () => (await readStatus(adminPort)) === 200,
  })
  await service.start()
  return { process: service, port, data }
}

/** The HTTP status of `/readyz` on the admin listener. */
export function readStatus(adminPort: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = get({ host: '127.0.0.1', port: adminPort, path: '/readyz', timeout: 2000, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    asked.once('timeout', () => asked.destroy(new Error('nothing in time'))).once('error', reject)
  })
}

/** A secret in a file of its own, which only this user can read. Returns its path. */
export function writeSecret(folder: string, name: string, secret: string): string {
  const path = join(folder, name)
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
  return path
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<{ code: number; output: string; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [launcher, ...args], { env, timeout: 60_000 }, (err, output, errors) => {
      const code = err === null ? 0 : typeof err.code === 'number' ? err.code : 70
      resolve({ code, output, errors })
    })
  })
}
