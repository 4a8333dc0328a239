import { request } from '../testing/pipeline.fixture.ts'
import type { TestApp } from '../testing/test-app.fixture.ts'

/** Whether the clock is trusted, as an operator sees it. */
export async function clockOf(app: TestApp): Promise<{ trusted: boolean; reason: string | null; bySeconds: number | null }> {
  const status = (await callAsOperator(app, 'operator.clock.get')) as {
    trusted: boolean
    refusal: { reason: string; bySeconds: number } | null
  }
  return { trusted: status.trusted, reason: status.refusal?.reason ?? null, bySeconds: status.refusal?.bySeconds ?? null }
}

/** Confirms the clock as it is now. */
export function confirmClock(app: TestApp): Promise<unknown> {
  return callAsOperator(app, 'operator.clock.confirm', { time: new Date(app.clock.now()).toISOString() })
}

/** The result of an operation over the control socket; undefined when it was refused. */
export async function callAsOperator({ app }: TestApp, method: string, params: object = {}): Promise<unknown> {
  const { text } = await app.handleOperator(request({ jsonrpc: '2.0', id: 1, method, params }, { xAuth: null }))
  return (JSON.parse(text) as { result?: unknown }).result
}
