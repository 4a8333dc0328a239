import { useSignal } from '@preact/signals'
import type { FrameOptions } from '@tessera/contract/frame'
import { useEffect, useMemo, useRef } from 'preact/hooks'

import { makeId, openBridge, type Bridge } from '../../../browser/bridge/bridge.ts'
import { Choice } from './choice.tsx'
import { formText } from './form-text.ts'

/** The form itself, of its own origin, in a document that calls nobody: what is typed into it goes nowhere. Told the options as they change. */
export function Preview({ merchantId, origin, options }: { merchantId: string; origin: string; options: FrameOptions }) {
  const text = formText.now()
  const frame = useRef<HTMLIFrameElement>(null)
  const bridge = useRef<Bridge | null>(null)
  const [step, width] = [useSignal<PreviewStep>('card'), useSignal<'phone' | 'wide'>('phone')]
  const { locale = 'uz' } = options
  const id = useMemo(makeId, [locale])
  const query = new URLSearchParams({ merchant: merchantId, origin: location.origin, locale })
  const latest = useRef(options)
  latest.current = options
  const key = JSON.stringify(options)
  useEffect(() => bridge.current?.say({ type: 'configure', options: latest.current }), [key])
  useEffect(() => () => bridge.current?.close(), [])
  const show = (wanted: PreviewStep): void => {
    step.value = wanted
    frame.current?.contentWindow?.postMessage({ preview: wanted }, origin)
  }
  const meet = (element: HTMLIFrameElement): void => {
    bridge.current?.close()
    bridge.current = openBridge(element, origin, id, (message) => {
      if (message.type === 'size') element.style.height = `${String(message.height)}px`
      if (message.type === 'ready') show(step.value)
    })
    bridge.current.say({ type: 'configure', options: latest.current })
  }
  return (
    <section class="panel builder-preview">
      <h2>{text.preview}</h2>
      <div class="builder-choices">
        <Choice legend={text.step} name="step" value={step.value} options={text.steps} onChange={show} />
        <Choice legend={text.width} name="width" value={width.value} options={text.widths} onChange={(wanted) => (width.value = wanted)} />
      </div>
      <div class={`builder-frame ${width.value}`}>
        <iframe
          key={id}
          ref={frame}
          title={text.preview}
          src={`${origin}/form/v1/preview?${String(query)}#${id}`}
          onLoad={(event) => meet(event.currentTarget)}
        />
      </div>
      <small>{text.previewNote}</small>
    </section>
  )
}

type PreviewStep = 'card' | 'faults' | 'code' | 'done'
