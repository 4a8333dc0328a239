import { useSignal } from '@preact/signals'
import { accountFieldKinds, type AccountFieldKind } from '@tessera/contract/receipt'
import { useId } from 'preact/hooks'

import { hasRole } from '../../app/session-state.ts'
import { Field } from '../../components/fields.tsx'
import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm, type DashboardSettings } from './settings-form.tsx'

type AccountField = DashboardSettings['accountFields'][number]

/** The fields of a receipt's account, the main one first. */
export function AccountFieldsForm({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const fields = useSignal<readonly AccountField[]>(settings.accountFields)
  const put = (at: number, field: AccountField): void => void (fields.value = fields.value.with(at, field))
  const remove = (at: number): void => void (fields.value = fields.value.toSpliced(at, 1))
  const add = (): void => void (fields.value = [...fields.value, { name: '', title: { uz: '', ru: '', en: '' }, required: true }])
  return (
    <SettingsForm title={text.fields} readChanges={() => ({ accountFields: [...fields.value] })} onSaved={onChanged}>
      <p>{text.fieldsText}</p>
      {fields.value.length === 0 && <p>{text.noFields}</p>}
      {fields.value.map((field, index) => (
        // Keyed by position: two new rows have the same empty name.
        <AccountFieldRow key={index} field={field} onChange={(next) => put(index, next)} onRemove={() => remove(index)} />
      ))}
      {hasRole('developer') && fields.value.length < maxFields && (
        <button type="button" onClick={add}>
          {text.addField}
        </button>
      )}
    </SettingsForm>
  )
}

interface AccountFieldRowProps {
  readonly field: AccountField
  readonly onChange: (field: AccountField) => void
  readonly onRemove: () => void
}

function AccountFieldRow({ field, onChange, onRemove }: AccountFieldRowProps) {
  const text = settingsPageText.current()
  const { name, title, required, kind = 'text' } = field
  return (
    <fieldset class="account-field">
      <legend>{name === '' ? text.fieldName : name}</legend>
      <Field label={text.fieldName} value={name} maxLength={64} isRequired onInput={(value) => onChange({ ...field, name: value })} />
      {(['uz', 'ru', 'en'] as const).map((language) => (
        <Field
          key={language}
          label={text.title[language]}
          value={title[language]}
          maxLength={100}
          isRequired
          onInput={(value) => onChange({ ...field, title: { ...title, [language]: value } })}
        />
      ))}
      <label class="checkbox">
        <input type="checkbox" checked={required} onChange={(event) => onChange({ ...field, required: event.currentTarget.checked })} />
        {text.required}
      </label>
      <KindSelect kind={kind} onChange={(next) => onChange({ ...field, kind: next })} />
      <button type="button" onClick={onRemove}>
        {text.removeField}
      </button>
    </fieldset>
  )
}

/** What the field holds. It decides how strictly its values are checked for card numbers. */
function KindSelect({ kind, onChange }: { kind: AccountFieldKind; onChange: (kind: AccountFieldKind) => void }) {
  const text = settingsPageText.current()
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{text.kind}</label>
      <select
        id={id}
        value={kind}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.value as AccountFieldKind)}
      >
        {accountFieldKinds.map((each) => (
          <option key={each} value={each}>
            {text.kinds[each]}
          </option>
        ))}
      </select>
      <small id={`${id}-hint`}>{text.kindHint}</small>
    </div>
  )
}

const maxFields = 20
