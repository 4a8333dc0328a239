// needs: build, systemd, strace
// time limit: 420 s
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { awaitWithin } from '../await-within.ts'
import { findOnPath } from '../find-program.ts'

// The package @tessera/server, packed and installed from nothing, and its unit under the restrictions that this machine can make.

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const scratch = mkdtempSync(join(tmpdir(), 'tessera-server-'))
after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))
// A user of its own has to reach the program.
chmodSync(scratch, 0o755)
const installed = join(scratch, 'empty')
const inside = join(installed, 'node_modules', '@tessera', 'server')
/** Nothing of this project is on the path, and no setting is in the environment. */
const plain = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: scratch }
let archive = ''

before(() => {
  run('node', ['tools/build-server.ts', '--out', scratch], { cwd: root, env: process.env })
  archive = join(scratch, readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? assert.fail('there is no archive'))
  mkdirSync(installed)
  run('npm', ['install', '--no-audit', '--no-fund', archive], { cwd: installed, env: process.env })
})

test('in an empty folder it is installed and started by npx: form, dashboard, a card, and a stop that ends with 0', async () => {
  const service = start('npx', ['tessera', 'start', '--json', '--port=0', '--admin-port=0'], { cwd: installed })
  const { url, adminUrl, demo, folder } = await service.ready
  assert.equal(folder, join(installed, 'data'))
  assert.equal((await fetch(`${adminUrl}/readyz`)).status, 200)
  const params = { card: { number: demo.cardNumber, expire: demo.expiry }, save: true }
  const reply = await fetch(`${url}/api`, {
    method: 'POST',
    headers: { 'x-auth': demo.merchantId },
    body: JSON.stringify({ id: 1, method: 'cards.create', params }),
  })
  assert.match(await reply.text(), /"token":"/)
  for (const address of [`${url.replace('127.0.0.1', 'localhost')}/dashboard`, `${url}/form/reasons`]) {
    const page = await fetch(address)
    assert.deepEqual([page.status, (await page.text()).length > 100], [200, true], address)
  }
  assert.match(run('npx', ['tessera', 'status'], { cwd: installed }), /ready/)
  assert.equal(await service.stop(), 0)
})

test('commands that read files of the package work: version, scan, form-check, settings', () => {
  assert.match(run('npx', ['tessera', 'version'], { cwd: installed }), /^Tessera 0\.1\.0 on Node 2[4-9]/)
  assert.match(run('npx', ['tessera', 'scan', 'package.json'], { cwd: installed }), /No card number in 1 file/)
  const shop = join(scratch, 'shop')
  mkdirSync(shop)
  writeFileSync(
    join(shop, 'index.html'),
    '<!doctype html><title>Shop</title><form><input name="cardnumber" autocomplete="cc-number"></form>',
  )
  const checked = spawnSync('npx', ['tessera', 'form-check', '--static', shop], { cwd: installed, env: plain, encoding: 'utf8' })
  assert.deepEqual([checked.status, /cc-number|card/i.test(checked.stdout)], [1, true], checked.stdout + checked.stderr)
})

test('without the registry and without optional packages it is installed and runs on a Node 24', () => {
  const offline = join(scratch, 'offline')
  mkdirSync(offline)
  const cache = join(scratch, 'no-cache')
  run('npm', ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', '--cache', cache, archive], {
    cwd: offline,
    env: process.env,
  })
  assert.deepEqual(readdirSync(join(offline, 'node_modules', '@tessera')), ['server'])
  const program = join(offline, 'node_modules/@tessera/server/bin/tessera.mjs')
  assert.match(run(process.execPath, [program, 'version'], { cwd: offline }), /^Tessera 0\.1\.0/)
  const settings = join(offline, 'doctor-data')
  assert.match(
    spawnSync(process.execPath, [program, 'doctor', `--data=${settings}`], { cwd: offline, env: plain, encoding: 'utf8' }).stdout,
    /folder/,
  )
})

test('inside are JavaScript only, a licence of every package, and an SBOM that lists them all', () => {
  const files = readdirSync(inside, { recursive: true, encoding: 'utf8' })
  const own = files.filter((path) => !path.startsWith('node_modules/') || path.startsWith('node_modules/@tessera/'))
  assert.deepEqual(
    own.filter((path) => /(?<!\.d)\.ts$|\.test\.[jt]s$|\.fixture\.|(?:^|\/)testing\//.test(path)),
    [],
  )
  const licences = readFileSync(join(inside, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  const sbom = JSON.parse(readFileSync(join(inside, 'sbom.cdx.json'), 'utf8')) as {
    bomFormat: string
    specVersion: string
    metadata: { component: { name: string } }
    components: { 'bom-ref': string; licenses?: object[]; hashes?: object[] }[]
  }
  assert.deepEqual([sbom.bomFormat, sbom.specVersion, sbom.metadata.component.name], ['CycloneDX', '1.5', 'server'])
  const listed = new Map(sbom.components.map((component) => [component['bom-ref'], component]))
  const manifests = files.filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path))
  for (const path of manifests) {
    const { name, version } = JSON.parse(readFileSync(join(inside, path), 'utf8')) as { name: string; version: string }
    const component = listed.get(`${name}@${version}`)
    assert.ok(component?.licenses !== undefined, `${name}@${version} is in the SBOM with its licence`)
    if (name.startsWith('@tessera/')) continue
    assert.ok(component.hashes !== undefined, name)
    const [, text = ''] = licences.split(`\n${name} ${version}: `)
    assert.ok(text.split('='.repeat(80) + '\n')[1] !== undefined && text.slice(0, 2000).length > 200, `${name} has the text of a licence`)
  }
  assert.ok(manifests.length > 40, String(manifests.length))
  const beside = readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.') && !name.startsWith('@'))
  for (const name of beside)
    assert.ok(
      [...listed.keys()].some((ref) => ref.startsWith(`${name}@`)),
      `${name} is in the SBOM`,
    )
})

const unitFile = join(root, 'packaging/server/systemd/tessera.service')
const unit = readFileSync(unitFile, 'utf8')

test('systemd finds the unit valid, and rates its exposure 1.2', () => {
  const copy = join(scratch, 'tessera.service')
  writeFileSync(copy, unit.replaceAll('/opt/tessera/', `${installed}/`))
  const verified = spawnSync('systemd-analyze', ['verify', copy], { encoding: 'utf8' })
  assert.deepEqual([verified.status, verified.stdout + verified.stderr], [0, ''])
  const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', '--threshold=13', copy], { encoding: 'utf8' })
  assert.match(rated.stdout, /Overall exposure level for tessera\.service: 1\.2 OK/)
  assert.equal(rated.status, 0)
  writeFileSync(copy, unit.replace(/^ProtectSystem=.*$/m, '').replace(/^SystemCallFilter=.*$/gm, ''))
  const open = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', '--threshold=13', copy], { encoding: 'utf8' })
  assert.notEqual(open.status, 0)
})

test('its command runs as another user without privileges, on a machine that it cannot write, with the system calls that the unit allows', async () => {
  assert.equal(process.getuid?.(), 0, 'this test makes a mount namespace and another user: run it as root')
  const state = join(scratch, 'state')
  const traces = join(scratch, 'traces')
  for (const folder of [state, traces]) {
    mkdirSync(folder)
    run('chown', ['65534:65534', folder])
  }
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  const program = command.replace('/opt/tessera/', `${installed}/`)
  const mounts = [...new Set(run('findmnt', ['-rn', '-o', 'TARGET', '-t', 'ext4,overlay,tmpfs,xfs,btrfs']).trim().split('\n'))]
  const readOnly = mounts.map((path) => `mount -o remount,bind,ro ${path} 2>/dev/null || true`).join('; ')
  const strace = findOnPath('strace') ?? assert.fail('strace is missing')
  const asUser = 'setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all'
  const script = [
    'mount --make-rprivate /',
    ...[state, traces].map((path) => `mount --bind ${path} ${path}`),
    readOnly,
    `! touch ${installed}/written 2>/dev/null`,
    'umask 0077',
    `exec ${asUser} ${strace} -f -qq -o ${traces}/calls ${program} --json`,
  ].join('\n')
  const env = { ...plain, HOME: '/', TESSERA_DATA: state, TESSERA_PORT: '0', TESSERA_ADMIN_PORT: '0' }
  const service = start('unshare', ['--mount', '--ipc', 'sh', '-ec', script], { cwd: '/', env })
  const { url, demo } = await service.ready
  const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: { number: demo.cardNumber, expire: demo.expiry } } })
  assert.match(await (await fetch(`${url}/api`, { method: 'POST', headers: { 'x-auth': demo.merchantId }, body })).text(), /"token":"/)
  assert.equal(await service.stop(), 0)
  assert.ok(existsSync(join(state, 'tessera.db')))

  const used = new Set(
    [...readFileSync(join(traces, 'calls'), 'utf8').matchAll(/^\d+ +(?:<\.\.\. )?([a-z_0-9]+)(?:\(| resumed)/gm)].map(
      ([, name]) => name ?? '',
    ),
  )
  const refused = [...used].filter((name) => !isAllowed(name))
  assert.ok(used.has('epoll_wait') || used.has('epoll_pwait'), [...used].join(' '))
  assert.deepEqual(refused, [])
  assert.ok(!isAllowed('mount') && !isAllowed('setuid') && isAllowed('openat'))
})

/** By the filters of the unit, as systemd resolves their sets: what the first line allows, without what the second one denies. */
function isAllowed(call: string): boolean {
  filters ??= [...unit.matchAll(/^SystemCallFilter=~?(.*)$/gm)].map(
    ([, names = '']) => new Set(names.split(' ').flatMap((name) => [...resolveSet(name)])),
  )
  const [allowed, denied] = filters
  return allowed?.has(call) === true && denied?.has(call) === false
}

let filters: ReadonlySet<string>[] | undefined

function resolveSet(name: string): ReadonlySet<string> {
  const lines = run('systemd-analyze', ['syscall-filter', '--no-pager', name]).split('\n').slice(1)
  const members = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  return new Set(members.flatMap((member) => (member.startsWith('@') ? [...resolveSet(member)] : [member])))
}

interface ReadyService {
  readonly pid: number
  readonly url: string
  readonly adminUrl: string
  readonly folder: string
  readonly demo: { readonly merchantId: string; readonly cardNumber: string; readonly expiry: string }
}

function start(program: string, args: readonly string[], { cwd, env = plain }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv }) {
  // A group of its own: npx and the launcher stand between it and the test.
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  after(() => child.exitCode ?? child.signalCode ?? process.kill(-(child.pid ?? 0), 'SIGKILL'))
  let [out, err] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const said = new Promise<ReadyService>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      if (out.includes('\n')) resolve((JSON.parse(out.split('\n')[0] ?? '') as { ready: ReadyService }).ready)
    })
    void ended.then(() => reject(new Error(`it did not start: ${out}${err}`)))
  })
  return {
    ready: awaitWithin(said, 'the service to be ready', 90),
    /** Stops the service, and returns the exit code of the command that was typed. */
    async stop() {
      process.kill((await said).pid, 'SIGTERM')
      return awaitWithin(ended, 'the service to end', 60)
    },
  }
}

function run(
  program: string,
  args: readonly string[],
  { cwd = scratch, env = plain }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string {
  return execFileSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 })
}
