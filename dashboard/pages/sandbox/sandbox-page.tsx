import { useSignal } from '@preact/signals'
import type { ComponentChild } from 'preact'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { refreshSession } from '../../app/load-session.ts'
import { may, session } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'
import { CardControls } from './card-controls.tsx'
import { EmptyAll } from './empty-all.tsx'
import { Faults } from './faults.tsx'
import { LimitSwitch } from './limit-switch.tsx'
import { MovedTime } from './moved-time.tsx'
import type { Change, PartOfSandbox } from './sandbox-part.ts'
import { fill } from '../../app/long-words.tsx'
import { sandboxText } from './sandbox-text.ts'
import './sandbox.css'

/** What can be made to go wrong, so that it is met here first: each control as it stands, and all of them back to normal. */
export function SandboxPage() {
  const text = sandboxText.use()
  if (text === null) return sandboxText.show()
  return session.value?.environment === 'test' ? <Controls /> : <Empty title={text.testOnly.title} text={text.testOnly.text} />
}

function Controls() {
  const asked = useAsk('dashboard.sandbox.get', {})
  const { refused, run } = useDeed()
  const said = useSignal('')
  const change: Change = async (deed, done) => {
    said.value = ''
    await run(deed)
    asked.again()
    await refreshSession()
    if (refused.value === null) said.value = done
  }
  const told = (
    <div class="told">
      <Refusal refused={refused.value} />
      <p role="status" class="said">
        {said.value}
      </p>
    </div>
  )
  return <Answer asked={asked}>{(sandbox) => <AllControls part={{ sandbox, change }} told={told} />}</Answer>
}

function AllControls({ part, told }: { part: PartOfSandbox; told: ComponentChild }) {
  const text = sandboxText.now()
  const { sandbox, change } = part
  return (
    <>
      <section class="panel state">
        <p>
          {sandbox.changed === 0 ? <Tag tone="green">{text.normal}</Tag> : <Tag tone="amber">{fill(text.changed, sandbox.changed)}</Tag>}{' '}
          {text.kept}
        </p>
        {may('developer') && sandbox.changed > 0 && (
          <button type="button" class="main" onClick={() => void change(() => call('dashboard.sandbox.restore', {}), text.restored)}>
            {text.restore}
          </button>
        )}
      </section>
      {told}
      <CardControls {...part} />
      <div class="columns">
        <Faults {...part} />
        <div class="stack">
          <MovedTime {...part} />
          <LimitSwitch {...part} />
          <EmptyAll {...part} />
        </div>
      </div>
    </>
  )
}
