import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '@opentelemetry/api'

import type { SpanAttributes, TracedStep } from './tracing.ts'

/** Starts spans at times of its clock. */
export interface SpanStarter {
  /** Milliseconds of a clock that does not jump. */
  now(): number
  start(name: string, options: SpanStart): Span
  end(span: Span, at: number): void
}

export interface SpanStart {
  readonly kind: 'server' | 'client' | 'internal'
  readonly at: number
  readonly attributes: SpanAttributes
  /** Null: a trace of its own. */
  readonly parent: Span | null
}

/** What is traced of one request or of one run of a job, and of what it leaves going on. */
export class TraceScope {
  readonly isSampled: boolean
  readonly #starter: SpanStarter
  readonly #begin: (at: number) => Span
  readonly #isJob: boolean
  /** Of the call in progress; null until one of its steps, or its end, is known. */
  #current: Span | null = null
  #last: Span | null = null
  /** Since the request arrived, or since the call before it in a batch ended. */
  #startedAt: number
  #steps = 0
  #leftOut = 0
  #closedAt: number | null = null
  readonly #ended: { readonly span: Span; readonly at: number }[] = []

  /** `begin` starts the span of a call or job. */
  constructor(starter: SpanStarter, { isSampled, isJob, begin }: ScopeOptions) {
    this.#starter = starter
    this.#begin = begin
    this.#isJob = isJob
    this.isSampled = isSampled
    this.#startedAt = starter.now()
  }

  /** The span that a step belongs to: null for one that has a trace of its own, undefined for one that is not traced. */
  parentFor(kind: TracedStep<unknown>['kind']): Span | null | undefined {
    if (!this.isSampled) return undefined
    if (this.#closedAt !== null) return this.#parentAfterwards(this.#closedAt, kind)
    if (this.#isJob && this.#current === null && kind === 'read') return undefined
    if (this.#steps >= stepsMax) {
      this.#leftOut++
      return undefined
    }
    this.#steps++
    return this.#open()
  }

  /** What a call leaves going on still belongs to it, for a while: a timer that it has started may run as long as the process. */
  #parentAfterwards(closedAt: number, kind: TracedStep<unknown>['kind']): Span | null | undefined {
    const isNear = this.#starter.now() - closedAt <= afterwardsMs && this.#steps++ < stepsMax
    if (isNear && this.#last !== null) return this.#last
    return kind === 'outside' ? null : undefined
  }

  /** The end of a call, whose reply may still change what the span says; or of the job. */
  callEnded(describe: (span: Span) => void): void {
    if (!this.isSampled) return
    const span = this.#open()
    describe(span)
    if (this.#leftOut > 0) span.setAttribute('tessera.steps_left_out' satisfies keyof SpanAttributes, this.#leftOut)
    const at = this.#starter.now()
    this.#ended.push({ span, at })
    this.#last = span
    this.#current = null
    this.#startedAt = at
    this.#steps = this.#leftOut = 0
  }

  get hasSpan(): boolean {
    return this.#current !== null
  }

  /** Ends the spans of all calls. */
  close(describe: (span: Span) => void): void {
    for (const { span, at } of this.#ended) {
      describe(span)
      this.#starter.end(span, at)
    }
    this.#closedAt = this.#starter.now()
  }

  #open(): Span {
    return (this.#current ??= this.#begin(this.#startedAt))
  }
}

interface ScopeOptions {
  readonly isSampled: boolean
  readonly isJob: boolean
  readonly begin: (at: number) => Span
}

/** Which scope the code that runs belongs to. */
export function makeScopes(): AsyncLocalStorage<TraceScope> {
  return new AsyncLocalStorage<TraceScope>()
}

/** A call of ours has some ten; a sweep may have thousands. */
const stepsMax = 128
const afterwardsMs = 60_000
