import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { hasRole } from '../../app/session-state.ts'
import { settingsPageText } from '../../messages/page-texts.ts'
import { type SettingsPanelProps, SettingsForm } from './settings-form.tsx'

/** The merchant's color and logo on the hosted page. An image of any kind is drawn anew as a small PNG before it is sent. */
export function BrandForm({ settings, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const id = useId()
  const color = useSignal(settings.brandColor)
  const logo = useSignal(settings.logo)
  const problem = useSignal('')
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    const png = await toPng(file)
    problem.value = png === null ? text.logoUnreadable : ''
    if (png !== null) logo.value = png
  }
  const readChanges = () => {
    if (problem.value !== '') return problem.value
    return logo.value === settings.logo ? { brandColor: color.value } : { brandColor: color.value, logo: logo.value }
  }
  return (
    <SettingsForm title={text.brand} readChanges={readChanges} onSaved={onChanged}>
      <p>{text.brandText}</p>
      <div class="brand-preview">
        {logo.value === null ? <span>{text.noLogo}</span> : <img src={`data:image/png;base64,${logo.value}`} alt={text.logo} />}
        <div class="field">
          <label for={`${id}-logo`}>{text.logo}</label>
          {/* The browser would write on its button in its own language. */}
          <label class="file-button">
            <input
              id={`${id}-logo`}
              class="visually-hidden"
              type="file"
              accept="image/png,image/jpeg,image/webp"
              aria-describedby={`${id}-logo-hint`}
              onChange={(event) => void choose(event.currentTarget.files?.[0])}
            />
            <span>{text.chooseLogo}</span>
          </label>
          <small id={`${id}-logo-hint`}>{text.logoHint}</small>
          <p role="alert">{problem.value}</p>
          {logo.value !== null && hasRole('developer') && (
            <button type="button" onClick={() => (logo.value = null)}>
              {text.removeLogo}
            </button>
          )}
        </div>
      </div>
      <label class="checkbox">
        <input
          type="checkbox"
          checked={color.value !== ''}
          onChange={(event) => (color.value = event.currentTarget.checked ? '#1457d9' : '')}
        />
        {text.ownColor}
      </label>
      {color.value !== '' && (
        <div class="field">
          <label for={`${id}-color`}>{text.color}</label>
          <input id={`${id}-color`} type="color" value={color.value} onInput={(event) => (color.value = event.currentTarget.value)} />
          <small>{color.value}</small>
        </div>
      )}
    </SettingsForm>
  )
}

/** Base64 of a PNG that the service accepts, as large as fits into its bounds; null for a file that is no image. */
async function toPng(file: File): Promise<string | null> {
  const image = await createImageBitmap(file).catch(() => null)
  if (image === null) return null
  for (const side of [256, 192, 128, 96, 64]) {
    const scale = Math.min(1, side / Math.max(image.width, image.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(minSide, Math.round(image.width * scale))
    canvas.height = Math.max(minSide, Math.round(image.height * scale))
    const width = image.width * scale
    const height = image.height * scale
    canvas.getContext('2d')?.drawImage(image, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height)
    const [, base64 = ''] = canvas.toDataURL('image/png').split(',')
    if (base64.length <= maxBase64) return base64
  }
  return null
}

const minSide = 32
/** Of 32 KiB. */
const maxBase64 = 43_692
