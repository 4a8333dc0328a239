/** Code that verifies a signature (Standard Webhooks) and reads the event, by language. Only the first needs a library. */
export const receiverSnippets: Readonly<Record<string, string>> = {
  TypeScript: `import express from 'express'
import { verifyWebhook, WebhookRefused } from '@tessera/client'

const app = express()

// The raw body: the signature is over the bytes that were sent.
app.post('/webhooks', express.raw({ type: '*/*' }), (request, response) => {
  try {
    const event = verifyWebhook(request.body, request.headers, { secrets: process.env.WEBHOOK_SECRET })
    console.log(event.id, event.type, event.data) // keep event.id: the same one may come again
    response.sendStatus(204)
  } catch (err) {
    response.sendStatus(err instanceof WebhookRefused ? 400 : 500)
  }
})

app.listen(3000)`,
  Python: `import base64, hashlib, hmac, json, time

def verify_webhook(body: bytes, headers, secret: str):
    """The event, or ValueError. body is raw: the signature is over the bytes that were sent."""
    event_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        raise ValueError("too old: somebody plays it back, or a clock is wrong")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(right, given) for given in headers["webhook-signature"].split(" ")):
        raise ValueError("no signature of it is right")
    return json.loads(body)`,
  PHP: `<?php
// The event, or an exception. $body is raw: file_get_contents('php://input').
function verify_webhook(string $body, array $headers, string $secret): array {
    $id = $headers['webhook-id'];
    $timestamp = $headers['webhook-timestamp'];
    if (abs(time() - (int) $timestamp) > 300) throw new Exception('too old');
    $key = base64_decode(substr($secret, strlen('whsec_')), true);
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $given) {
        if (hash_equals($right, $given)) return json_decode($body, true, 64, JSON_THROW_ON_ERROR);
    }
    throw new Exception('no signature of it is right');
}

$event = verify_webhook(file_get_contents('php://input'), array_change_key_case(getallheaders()), getenv('WEBHOOK_SECRET'));
http_response_code(204);`,
}
