import type { HttpRequestInput } from '../../http/http-post.ts'
import { escapeXml, fillPlaceholders, type SmsTemplateValues } from './placeholders.ts'
import type { BodyTemplate, JsonTemplate, RequestTemplate } from './template.ts'

/** Fills in a request. Every value is escaped for where it stands, so that no text of a message can change the request. */
export function buildTemplateRequest(template: RequestTemplate, baseUrl: string, values: SmsTemplateValues): HttpRequestInput {
  const url = new URL(fillPlaceholders(template.path, values, encodeURIComponent), baseUrl)
  for (const [name, value] of Object.entries(template.query)) url.searchParams.set(name, fillPlaceholders(value, values))
  const headers = Object.fromEntries(
    Object.entries(template.headers).map(([name, value]) => [name, fillPlaceholders(value, values, headerValue)]),
  )
  if (template.basicAuth) headers['authorization'] = `Basic ${toBase64(`${values.username ?? ''}:${values.password ?? ''}`)}`
  const { method, body } = template
  if (body === null) return { method, url, headers }
  const { type, text } = fillBody(body, values)
  return { method, url, headers: { 'content-type': type, ...headers }, body: text }
}

function fillBody(body: BodyTemplate, values: SmsTemplateValues): { readonly type: string; readonly text: string } {
  switch (body.kind) {
    case 'json':
      return { type: 'application/json', text: JSON.stringify(fillJson(body.value, values)) }
    case 'form': {
      const fields = Object.entries(body.fields).map(([name, value]): [string, string] => [name, fillPlaceholders(value, values)])
      return { type: 'application/x-www-form-urlencoded', text: new URLSearchParams(fields).toString() }
    }
    case 'multipart':
      return fillMultipart(body.fields, values)
    case 'xml':
      return { type: 'text/xml; charset=utf-8', text: fillPlaceholders(body.text, values, escapeXml) }
    case 'text':
      return { type: 'text/plain; charset=UTF-8', text: fillPlaceholders(body.text, values) }
  }
}

function fillJson(value: JsonTemplate, values: SmsTemplateValues): unknown {
  if (typeof value === 'string') return fillPlaceholders(value, values)
  if (Array.isArray(value)) return value.map((each: JsonTemplate) => fillJson(each, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fillJson(each, values)]))
}

/** RFC 7578. The boundary is one that no value contains. */
function fillMultipart(fields: Readonly<Record<string, string>>, values: SmsTemplateValues): { type: string; text: string } {
  const filled = Object.entries(fields).map(([name, value]) => [name, fillPlaceholders(value, values)] as const)
  let boundary = 'tessera-boundary'
  while (filled.some(([, value]) => value.includes(boundary))) boundary += '-x'
  const parts = filled.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name.replaceAll('"', '%22')}"\r\n\r\n${value}\r\n`,
  )
  return { type: `multipart/form-data; boundary=${boundary}`, text: `${parts.join('')}--${boundary}--\r\n` }
}

/** A header is one line of visible characters and blanks. */
function headerValue(value: string): string {
  return value.replaceAll(/[^\t -~]/g, '')
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
