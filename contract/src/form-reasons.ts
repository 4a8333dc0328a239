/** Reasons of the card form's errors in addition to those of the wire (errors.ts), and what to do about each. */
export const formReasons = {
  number_missing: 'The cardholder submitted the form without a card number. The form shows it at the field.',
  expiry_missing: 'The cardholder submitted the form without an expiry date. The form shows it at the field.',
  code_missing: 'The cardholder confirmed without a complete code. The form shows it at the field.',
  offline: 'There was no response, because there is no connection. The input is not lost; call submit() or verify() again.',
  service_error:
    'The response was not one of the service: a proxy or a firewall before it replied, for example with HTTP 502 while the service restarts. Nothing was charged; call submit() or verify() again.',
  network_timeout: 'There was no response within 30 seconds. Nothing was charged; call submit() or verify() again.',
  stopped: 'The cardholder stopped waiting for the bank. Nothing was charged; call submit() or verify() again.',
  option_refused:
    'An option is invalid, and the form uses its default instead. The member option names it, for example appearance.variables.accent. docs/reference/appearance.md describes the valid values.',
  theme_contrast:
    'Two colors of your appearance do not have the contrast that WCAG 2.2 AA requires. The form shows them as requested, unless nobody could see the text. The members of and on name the two, ratio is the measured contrast, and suggestion is a sufficient color. Reported in the test environment only.',
  blocked_by_csp:
    'The Content-Security-Policy of your page blocks the form. Add its origin to frame-src, and to script-src for the script: the message names the origin.',
  frame_no_answer:
    "The form did not respond within 10 seconds of mount(): the service is down, the network is slow, or your page's origin is not registered. The frame shows the last. If the form responds later, it works, and ready is emitted.",
  page_sandboxed:
    'Your page has no origin of its own, so the form cannot know which page contains it: it is opened as a file, or is in a frame or under a policy with a sandbox without allow-same-origin. The sandbox needs allow-scripts and allow-same-origin; allow-forms is not needed.',
  merchant_missing:
    'The option merchant must be your public merchant id, 24 hex digits. The test and production environments have different ids.',
  form_origin_missing:
    'The SDK is part of a bundle or served by you, so it does not know where the form is. Set the option formOrigin, for example https://form.provider.example.',
  place_missing: 'No element of your page matches the argument of mount(). Call it when the element exists.',
} as const

export type FormReason = keyof typeof formReasons
