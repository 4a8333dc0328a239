import '../../app/common.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { EnglishCode } from '../../components/values.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { labelOf } from '../../messages/lookup.ts'
import { settingsPageText } from '../../messages/page-texts.ts'
import { AccountFieldsForm } from './account-fields.tsx'
import { AmountsForm } from './amounts.tsx'
import { BrandForm } from './brand.tsx'
import { OriginsForm } from './origins.tsx'
import { PasswordsPanel } from './passwords.tsx'
import { SecuritySwitches, UserSecurity } from './security-switches.tsx'
import type { SettingsPanelProps } from './settings-form.tsx'

/** The merchant's settings and API passwords. */
export function MerchantSettingsPage() {
  const query = useQuery('dashboard.settings.get', {})
  const loading = useMessages(settingsPageText)
  if (loading !== null) return loading
  return <QueryResult query={query}>{(settings) => <SettingsPanels settings={settings} onChanged={query.refetch} />}</QueryResult>
}

function SettingsPanels(props: SettingsPanelProps) {
  const text = settingsPageText.current()
  const { settings } = props
  return (
    <div class="columns">
      <section class="panel">
        <h2>{text.merchant}</h2>
        <p>{settings.name}</p>
        <p>
          <small>{text.merchantId}</small> <CopyButton text={settings.merchantId} />
        </p>
        <h2>{text.limits}</h2>
        {settings.limits.length === 0 ? <p>{text.noLimits}</p> : <p>{text.limitsText}</p>}
        <ul class="list">
          {settings.limits.map(({ name, count }) => (
            <li key={name}>
              <span>
                {labelOf(text.limitNames, name)} <EnglishCode code={name} />
              </span>{' '}
              <span>{count}</span>
            </li>
          ))}
        </ul>
      </section>
      <PasswordsPanel {...props} />
      <OriginsForm {...props} />
      <AmountsForm {...props} />
      <BrandForm {...props} />
      <SecuritySwitches {...props} />
      <UserSecurity {...props} />
      <AccountFieldsForm {...props} />
    </div>
  )
}
