import type { Setting } from './values.ts'

/** Traces of calls and background jobs, for an OpenTelemetry collector. Off unless an endpoint is set. */
export const traceSettings = [
  {
    name: 'tracesEndpoint',
    env: 'TESSERA_TRACES_ENDPOINT',
    flag: '--traces-endpoint',
    type: 'httpUrl',
    default: null,
    meaning:
      'URL that traces are sent to, by OTLP over HTTP in JSON, with its path: http://127.0.0.1:4318/v1/traces is that of a collector on this machine. Without it there are no traces. The variables OTEL_… are not read.',
    production: 'https, or a collector on this machine, or tracesTransport private',
  },
  {
    name: 'tracesSampleEvery',
    env: 'TESSERA_TRACES_SAMPLE_EVERY',
    flag: '--traces-sample-every',
    type: 'integer',
    from: 1,
    to: 1_000_000,
    default: 1,
    meaning: 'Of the requests, and of the runs of background jobs, one in this many is traced, drawn at random.',
    source: 'all, as OpenTelemetry does by default; what that costs is on the page about traces',
  },
  {
    name: 'tracesParent',
    env: 'TESSERA_TRACES_PARENT',
    flag: '--traces-parent',
    type: 'choice',
    choices: ['ignore', 'join', 'join_and_sample'],
    default: 'ignore',
    meaning:
      "What becomes of the header traceparent of a merchant's server: it is ignored; or what is sampled here joins the merchant's trace; or its sampled flag decides as well.",
    source: 'anyone can write anything into a header',
  },
  {
    name: 'tracesServiceName',
    env: 'TESSERA_TRACES_SERVICE_NAME',
    flag: '--traces-service-name',
    type: 'text',
    default: 'tessera',
    meaning: 'The name of this service in traces, service.name.',
  },
  {
    name: 'tracesHeaderFile',
    env: 'TESSERA_TRACES_HEADER_FILE',
    flag: '--traces-header-file',
    type: 'path',
    default: null,
    isSecretFile: true,
    meaning:
      'File whose only line is a header that the receiver of traces requires, as `authorization: Bearer …`; only the user of the service may read it.',
  },
  {
    name: 'tracesTransport',
    env: 'TESSERA_TRACES_TRANSPORT',
    flag: '--traces-transport',
    type: 'choice',
    choices: ['tls', 'private'],
    default: 'tls',
    meaning:
      'How the receiver of traces is reached: private declares a line that no third party can read, which may be http to another machine, and needs a reason.',
  },
  {
    name: 'tracesPrivateReason',
    env: 'TESSERA_TRACES_PRIVATE_REASON',
    flag: '--traces-private-reason',
    type: 'text',
    default: null,
    meaning: 'Why the line to the receiver of traces needs no TLS, for the next operator and the auditor; tessera doctor prints it.',
  },
] as const satisfies readonly Setting[]
