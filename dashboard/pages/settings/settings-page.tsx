import { useAsk } from '../../app/ask.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copy } from '../../parts/copy.tsx'
import { AccountFields } from './account-fields.tsx'
import { Amounts } from './amounts.tsx'
import { Origins } from './origins.tsx'
import type { PartOfSettings } from './settings-part.ts'
import { Passwords } from './passwords.tsx'
import { Safety } from './safety.tsx'
import { settingsText } from './settings-text.ts'
import './settings.css'

/** What is agreed with the merchant, and its API passwords. */
export function SettingsPage() {
  const text = settingsText.use()
  const asked = useAsk('dashboard.settings.get', {})
  if (text === null) return settingsText.show()
  return <Answer asked={asked}>{(settings) => <AllSettings settings={settings} onChanged={asked.again} />}</Answer>
}

function AllSettings(of: PartOfSettings) {
  const text = settingsText.now()
  const { settings } = of
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
