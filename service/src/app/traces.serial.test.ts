// time limit: 120 s
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { startTesseraChild, until } from '../testing/child.fixture.ts'
import { startTraceReceiver, type ReceivedSpan, type TraceReceiver } from './trace-receiver.fixture.ts'
import { createToken, newFolder, onEach } from './workers/workers.fixture.ts'

test('two workers send the spans of their calls and jobs, each under its own instance, and a stop sends the last ones', async (t) => {
  const receiver = await startReceiver(t)
  const service = await startTesseraChild(
    newFolder(),
    ['--workers=2', `--traces-endpoint=${receiver.url}`, '--traces-service-name=cards'],
    {
      // Those of the standard, which say something else.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-standard=1',
      OTEL_SERVICE_NAME: 'other',
      OTEL_TRACES_SAMPLER: 'always_off',
      OTEL_SDK_DISABLED: 'true',
    },
  )
  const tokens = await onEach(() => createToken(service.facts.url))
  assert.equal((await service.stop()).code, 0)
  const calls = receiver.spans.filter(({ name }) => name === 'cards.create')
  assert.equal(calls.length, tokens.length)
  assert.equal(new Set(calls.map(instanceOf)).size, 2)
  assert.ok(receiver.spans.every(({ resource }) => resource['service.name'] === 'cards'))
  for (const call of calls) {
    const writes = receiver.spans.filter(({ parentSpanId, name }) => parentSpanId === call.spanId && name === 'store write insertCard')
    assert.deepEqual(writes.map(instanceOf), [instanceOf(call)], 'what it waited for is below it, in the worker that answers')
  }
  assert.ok(receiver.spans.some(({ name }) => name === 'kek unwrap' || name === 'kek wrap'))
  assert.ok(receiver.headers.every((headers) => headers['x-standard'] === undefined && headers.traceparent === undefined))
})

test('a receiver that hangs changes neither the replies nor the stop by more than its bound, and is counted', async (t) => {
  const receiver = await startReceiver(t)
  receiver.reply(null)
  const service = await startTesseraChild(newFolder(), [`--traces-endpoint=${receiver.url}`])
  await onEach(() => createToken(service.facts.url))
  await until(() => receiver.headers.length > 0, 'a message to the receiver')
  const page = await (await fetch(`${service.facts.adminUrl}/metrics`)).text()
  assert.match(page, /^tessera_trace_spans_total\{outcome="exported"\} 0$/m)
  const startedAt = performance.now()
  assert.equal((await service.stop()).code, 0)
  assert.ok(performance.now() - startedAt < 8000)
})

test('control: without an endpoint nothing of OpenTelemetry is loaded', async () => {
  const loaded = async (...args: string[]): Promise<boolean> => {
    const service = await startTesseraChild(newFolder(), args, { NODE_DEBUG: 'module' })
    service.kill('SIGTERM')
    // The files of modules, not lines of the log.
    return (await service.ended).err.includes('@opentelemetry/')
  }
  assert.equal(await loaded(), false)
  assert.equal(await loaded('--traces-endpoint=http://127.0.0.1:1/v1/traces'), true)
})

function instanceOf({ resource }: ReceivedSpan): unknown {
  return resource['service.instance.id']
}

async function startReceiver(t: TestContext): Promise<TraceReceiver> {
  const receiver = await startTraceReceiver()
  t.after(() => receiver.close())
  return receiver
}
