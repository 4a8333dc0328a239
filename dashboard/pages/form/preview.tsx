import { useSignal } from '@preact/signals'
import { frameProtocol, type FrameOptions } from '@tessera/contract/frame'
import { useEffect, useMemo, useRef } from 'preact/hooks'

import { type Bridge, createFrameId, openBridge } from '../../../browser/bridge/bridge.ts'
import { formBuilderText } from '../../messages/page-texts.ts'
import { RadioGroup } from './radio-group.tsx'

/** The real form on its own origin, in a document that makes no calls, so that nothing typed into it is sent. It is reconfigured as the options change. */
export function FormPreview({ merchantId, origin, options }: { merchantId: string; origin: string; options: FrameOptions }) {
  const text = formBuilderText.current()
  const frame = useRef<HTMLIFrameElement>(null)
  const bridge = useRef<Bridge | null>(null)
  const [step, width] = [useSignal<PreviewStep>('card'), useSignal<'phone' | 'wide'>('phone')]
  const { locale = 'uz' } = options
  const id = useMemo(createFrameId, [locale])
  const query = new URLSearchParams({ merchant: merchantId, origin: location.origin, locale })
  const latest = useRef(options)
  latest.current = options
  const key = JSON.stringify(options)
  useEffect(() => bridge.current?.postMessage({ type: 'configure', options: latest.current }), [key])
  useEffect(() => () => bridge.current?.close(), [])
  const show = (next: PreviewStep): void => {
    step.value = next
    frame.current?.contentWindow?.postMessage({ preview: next }, origin)
  }
  const connect = (element: HTMLIFrameElement): void => {
    bridge.current?.close()
    bridge.current = openBridge(element, origin, { tessera: frameProtocol, id }, (message) => {
      if (message.type === 'size') element.style.height = `${String(message.height)}px`
      if (message.type === 'ready') show(step.value)
    })
    bridge.current.postMessage({ type: 'configure', options: latest.current })
  }
  return (
    <section class="panel builder-preview">
      <h2>{text.preview}</h2>
      <div class="builder-choices">
        <RadioGroup legend={text.step} name="step" value={step.value} options={text.steps} onChange={show} />
        <RadioGroup
          legend={text.width}
          name="width"
          value={width.value}
          options={text.widths}
          onChange={(wanted) => (width.value = wanted)}
        />
      </div>
      <div class={`builder-frame ${width.value} ${options.appearance?.scheme === 'dark' ? 'dark' : 'light'}`}>
        <iframe
          key={id}
          ref={frame}
          title={text.preview}
          src={`${origin}/form/v1/preview?${String(query)}#${id}`}
          onLoad={(event) => connect(event.currentTarget)}
        />
      </div>
      <small>{text.previewNote}</small>
    </section>
  )
}

type PreviewStep = 'card' | 'faults' | 'code' | 'done'
