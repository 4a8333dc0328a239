import { useAsk } from '../../app/ask.ts'
import { Copy } from '../../parts/copy.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Waiting } from '../../parts/table.tsx'
import { AccountFields } from './account-fields.tsx'
import { Amounts } from './amounts.tsx'
import { Origins } from './origins.tsx'
import { Passwords } from './passwords.tsx'
import { Safety } from './safety.tsx'
import { settingsText } from './settings-text.ts'
import './settings.css'

/** What is agreed with the merchant, and its API passwords. */
export function SettingsPage() {
  const text = settingsText.use()
  const asked = useAsk('dashboard.settings.get', {})
  if (text === null) return settingsText.show()
  const settings = asked.result.value
  if (settings === null) return asked.refused.value === null ? <Waiting /> : <Refusal refused={asked.refused.value} onAgain={asked.again} />
  const of = { settings, onChanged: asked.again }
  return (
    <div class="columns">
      <section class="panel">
        <h2>{text.shop}</h2>
        <p>{settings.name}</p>
        <p>
          <small>{text.merchantId}</small> <Copy text={settings.merchantId} />
        </p>
        <h2>{text.limits}</h2>
        {settings.limits.length === 0 ? <p>{text.noLimits}</p> : <p>{text.limitsText}</p>}
        <ul class="list">
          {settings.limits.map(({ name, count }) => (
            <li key={name}>
              <code>{name}</code> <span>{count}</span>
            </li>
          ))}
        </ul>
      </section>
      <Passwords {...of} />
      <Origins {...of} />
      <Amounts {...of} />
      <Safety {...of} />
      <AccountFields {...of} />
    </div>
  )
}
