import '../../app/common.ts'
import { messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { usePartTitle } from '../../app/object-title.ts'
import { dashboardPath, route } from '../../app/router.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { EnglishCode } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { Tag } from '../../components/values.tsx'
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

/** The merchant's settings and API passwords, on a page for each subject. */
export function MerchantSettingsPage() {
  const query = useQuery('dashboard.settings.get', {})
  const part = settingsParts.find((each) => each === route.value.rest[0]) ?? 'business'
  const loading = useMessages(settingsPageText)
  usePartTitle(settingsPageText.isLoaded.value ? `${messages.value.pages.settings} · ${settingsPageText.current().parts[part]}` : '')
  if (loading !== null) return loading
  return (
    <>
      <SettingsTabs current={part} />
      <QueryResult query={query}>{(settings) => <SettingsPanels part={part} settings={settings} onChanged={query.refetch} />}</QueryResult>
    </>
  )
}

/** The settings by what they are about, each at /dashboard/settings/<part>. */
const settingsParts = ['business', 'payments', 'card-form', 'api-keys', 'webhooks', 'team'] as const

type SettingsPart = (typeof settingsParts)[number]

function SettingsTabs({ current }: { current: SettingsPart }) {
  const text = settingsPageText.current()
  return (
    <div class="views" role="group" aria-label={text.parts.label}>
      {settingsParts.map((part) => (
        <a key={part} href={dashboardPath(`settings/${part}`)} aria-current={part === current ? 'true' : undefined}>
          {text.parts[part]}
        </a>
      ))}
    </div>
  )
}

function SettingsPanels({ part, ...props }: SettingsPanelProps & { part: SettingsPart }) {
  const text = settingsPageText.current()
  switch (part) {
    case 'business':
      return (
        <div class="columns">
          <MerchantPanel {...props} />
          <BrandForm {...props} />
        </div>
      )
    case 'payments':
      return (
        <div class="columns">
          <AmountsForm {...props} />
          <AccountFieldsForm {...props} />
        </div>
      )
    case 'card-form':
      return (
        <div class="columns">
          <OriginsForm {...props} />
          <SecuritySwitches {...props} />
        </div>
      )
    case 'api-keys':
      return (
        <div class="stack">
          <PasswordsPanel {...props} />
        </div>
      )
    case 'webhooks':
      return <WebhookSettings />
    case 'team':
      return (
        <div class="stack">
          <UserSecurity {...props} />
          {hasRole('owner') && (
            <p>
              {text.teamText} <a href={dashboardPath('users')}>{messages.value.pages.users}</a>
            </p>
          )}
        </div>
      )
  }
}

/** Where events go. They are changed on the page Webhooks, beside what was sent to them. */
function WebhookSettings() {
  const text = settingsPageText.current()
  const query = useQuery('dashboard.webhooks.list', {})
  return (
    <section class="panel">
      <h2>{text.parts.webhooks}</h2>
      <QueryResult query={query}>
        {({ endpoints }) => (
          <>
            {endpoints.length === 0 && <p>{text.noEndpoints}</p>}
            <ul class="list">
              {endpoints.map(({ endpointId, url, disabledAt }) => (
                <li key={endpointId}>
                  <code>{url}</code>
                  <Tag tone={disabledAt === null ? 'green' : 'grey'}>{disabledAt === null ? text.enabled : text.disabled}</Tag>
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryResult>
      <p>
        {text.webhooksText} <a href={dashboardPath('webhooks')}>{messages.value.pages.webhooks}</a>
      </p>
    </section>
  )
}

function MerchantPanel({ settings }: SettingsPanelProps) {
  const text = settingsPageText.current()
  return (
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
              {labelOf(text.limitNames, name)} <EnglishCode code={name} href={docsPath.limits} />
            </span>{' '}
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
