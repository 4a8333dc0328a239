import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An authority of the example's own. In a real installation: a public one for what browsers reach, your own for the lines inside. */
export interface ExampleAuthority {
  /** PEM file of its certificate. */
  readonly caFile: string
  /** A certificate for these DNS names and this machine, with its key: the paths of both PEM files. */
  issue: (name: string, hosts: readonly string[]) => { readonly certFile: string; readonly keyFile: string }
}

/** Made by the `openssl` program, for two days. */
export function makeExampleAuthority(folder: string): ExampleAuthority {
  const caFile = join(folder, 'ca.pem')
  const caKey = join(folder, 'ca.key')
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', caKey, '-out', caFile, '-days', '2', '-subj', '/CN=Example authority')
  return {
    caFile,
    issue(name, hosts) {
      const [certFile, keyFile, request, names] = ['pem', 'key', 'csr', 'ext'].map((ending) => join(folder, `${name}.${ending}`)) as [
        string,
        string,
        string,
        string,
      ]
      writeFileSync(names, `subjectAltName=${[...hosts, 'localhost'].map((host) => `DNS:${host}`).join(',')},IP:127.0.0.1\n`)
      openssl('req', ...newKey, '-keyout', keyFile, '-out', request, '-subj', `/CN=${hosts[0] ?? 'localhost'}`)
      openssl(
        'x509',
        '-req',
        '-in',
        request,
        '-CA',
        caFile,
        '-CAkey',
        caKey,
        '-CAcreateserial',
        '-out',
        certFile,
        '-days',
        '2',
        '-extfile',
        names,
      )
      return { certFile, keyFile }
    },
  }
}
