import { useSignal } from '@preact/signals'

import { may } from '../../app/session-state.ts'
import { Field } from '../../parts/field.tsx'
import { Saving } from './saving.tsx'
import type { PartOfSettings, Settings } from './settings-part.ts'
import { settingsText } from './settings-text.ts'

type AccountField = Settings['accountFields'][number]

/** What a receipt's account holds, the main field first. */
export function AccountFields({ settings, onChanged }: PartOfSettings) {
  const text = settingsText.now()
  const fields = useSignal<readonly AccountField[]>(settings.accountFields)
  const put = (at: number, field: AccountField): void => void (fields.value = fields.value.with(at, field))
  const remove = (at: number): void => void (fields.value = fields.value.toSpliced(at, 1))
  const add = (): void => void (fields.value = [...fields.value, { name: '', title: { uz: '', ru: '', en: '' }, required: true }])
  return (
    <Saving title={text.fields} wanted={() => ({ accountFields: [...fields.value] })} onSaved={onChanged}>
      <p>{text.fieldsText}</p>
      {fields.value.length === 0 && <p>{text.noFields}</p>}
      {fields.value.map((field, at) => (
        // A row is known by its place: two new ones have the same empty name.
        <OneField key={at} field={field} onChange={(next) => put(at, next)} onRemove={() => remove(at)} />
      ))}
      {may('developer') && fields.value.length < fieldsMax && (
        <button type="button" onClick={add}>
          {text.addField}
        </button>
      )}
    </Saving>
  )
}

interface OneFieldProps {
  readonly field: AccountField
  readonly onChange: (field: AccountField) => void
  readonly onRemove: () => void
}

function OneField({ field, onChange, onRemove }: OneFieldProps) {
  const text = settingsText.now()
  const { name, title, required } = field
  return (
    <fieldset class="account-field">
      <legend>{name === '' ? text.fieldName : name}</legend>
      <Field
        {...{ label: text.fieldName, value: name, maxLength: 64, isRequired: true }}
        onInput={(value) => onChange({ ...field, name: value })}
      />
      {(['uz', 'ru', 'en'] as const).map((language) => (
        <Field
          key={language}
          {...{ label: text.title[language], value: title[language], maxLength: 100, isRequired: true }}
          onInput={(value) => onChange({ ...field, title: { ...title, [language]: value } })}
        />
      ))}
      <label class="tick">
        <input type="checkbox" checked={required} onChange={(event) => onChange({ ...field, required: event.currentTarget.checked })} />
        {text.required}
      </label>
      <button type="button" class="bare" onClick={onRemove}>
        {text.removeField}
      </button>
    </fieldset>
  )
}

const fieldsMax = 20
