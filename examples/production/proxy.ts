import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../../tools/find-program.ts'
import type { ExampleAuthority } from './certificates.ts'
import { acceptsConnections, makeProcess, type ManagedProcess } from './processes.ts'

/** nginx, where TLS ends, in front of all processes of the service. */
export interface NginxProxy {
  readonly process: ManagedProcess
  /** Restarts it with this configuration. */
  behave: (behaviour: ProxyBehaviour) => Promise<void>
}

/** `ownPage`: it waits for a reply for less time than a payment takes, and says 200 with a page of its own in place of an error. */
export type ProxyBehaviour = 'honest' | 'ownPage'

export interface ProxyOptions {
  readonly folder: string
  readonly authority: ExampleAuthority
  readonly port: number
  readonly hosts: readonly string[]
  /** The ports of the service's processes. */
  readonly upstreams: readonly number[]
  readonly isReady: () => Promise<boolean>
}

export async function startProxy({ folder, authority, port, hosts, upstreams, isReady }: ProxyOptions): Promise<NginxProxy> {
  const program = findOnPath('nginx')
  if (program === null) throw new Error("nginx is missing: npm run peers installs Debian's nginx-light")
  const { certFile, keyFile } = authority.issue('proxy', hosts)
  const scratch = join(folder, 'nginx')
  mkdirSync(scratch)
  const config = join(folder, 'nginx.conf')
  let behaviour: ProxyBehaviour = 'honest'
  const configure = (): void => writeFileSync(config, formatConfig({ scratch, certFile, keyFile, port, hosts, upstreams, behaviour }))
  configure()
  const proxy = makeProcess({
    name: 'nginx',
    command: [program, '-p', scratch, '-c', config, '-e', join(scratch, 'error.log')],
    folder,
    isReady: () => (behaviour === 'honest' ? isReady() : acceptsConnections(port)),
  })
  await proxy.start()
  return {
    process: proxy,
    async behave(wanted) {
      behaviour = wanted
      configure()
      await proxy.stop()
      await proxy.start()
    },
  }
}

interface ProxyConfig extends Pick<ProxyOptions, 'port' | 'hosts' | 'upstreams'> {
  readonly scratch: string
  readonly certFile: string
  readonly keyFile: string
  readonly behaviour: ProxyBehaviour
}

/**
 * A call that may have reached a process is not sent to another by nginx (`proxy_next_upstream error timeout` leaves POST out): the client repeats it with
 * its idempotency key.
 */
function formatConfig({ scratch, certFile, keyFile, port, hosts, upstreams, behaviour }: ProxyConfig): string {
  const [readTimeout, failures, ownPage] =
    behaviour === 'honest' ? ['30s', 'max_fails=1 fail_timeout=2s', ''] : ['10ms', 'max_fails=0', 'error_page 502 504 =200 @busy;']
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(scratch, name)};`)
  return `daemon off;
master_process off;
pid ${join(scratch, 'nginx.pid')};
events { worker_connections 2048; }
http {
  access_log off;
  server_tokens off;
  ${temporary.join('\n  ')}
  upstream tessera {
    ${upstreams.map((each) => `server 127.0.0.1:${String(each)} ${failures};`).join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${String(port)} ssl;
    server_name ${hosts.join(' ')};
    ssl_certificate ${certFile};
    ssl_certificate_key ${keyFile};
    ssl_protocols TLSv1.2 TLSv1.3;
    client_max_body_size 128k;
    ${ownPage}
    location @busy { default_type text/html; return 200 "<html><body>We are busy, please try again.</body></html>"; }
    location / {
      proxy_pass http://tessera;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto https;
      proxy_connect_timeout 1s;
      proxy_read_timeout ${readTimeout};
      proxy_next_upstream error timeout;
    }
  }
}
`
}
