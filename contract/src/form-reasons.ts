/** What a page hears from the card form beside the reasons of the wire (errors.ts), and what to do about it. */
export const formReasons = {
  number_missing: 'The cardholder sent the form without a card number. The form says so at the field.',
  expiry_missing: 'The cardholder sent the form without an expiry. The form says so at the field.',
  code_missing: 'The cardholder confirmed without the six digits of the SMS. The form says so at the field.',
  offline: 'No reply came: there is no connection. What was typed is kept; call submit() or verify() again.',
  network_timeout: 'No reply came within 30 seconds. Nothing was charged; call submit() or verify() again.',
  stopped: 'The cardholder did not wait for the bank any longer. Nothing was charged; call submit() or verify() again.',
  option_refused:
    'An option of yours is not taken, and the form has its own in place of it: the member option says which, as theme.accent. What each takes stands in docs/reference/theme.md.',
  theme_contrast:
    'Two colours of your theme are too near to one another for WCAG 2.2 AA. The form shows them as you asked; the members of and on say which two, ratio what was measured, suggestion a colour that is enough. Told in the test environment.',
  blocked_by_csp:
    'The Content-Security-Policy of your page allows no frame of the form. Add its origin to frame-src, and to script-src for the script: the message says which.',
  frame_no_answer:
    "The form did not answer in 10 seconds: the network is slow, or your page's origin is not registered. What the frame shows says which.",
  merchant_missing: 'The option merchant is your public id, 24 hex digits. Test and production have ids of their own.',
  form_origin_missing:
    'The SDK was not loaded from the service but built into a bundle or served by you, so it cannot know where the form is: say the option formOrigin, as https://form.provider.example.',
  place_missing: 'Nothing in your page is what mount() was given. Call it when the element is there.',
} as const

export type FormReason = keyof typeof formReasons
