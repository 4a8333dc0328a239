#!/bin/sh
# From a card to a verified token in four calls, in both profiles of the service. Needs a shell, curl and sed.
#
#   TESSERA_URL=http://127.0.0.1:8080 MERCHANT_ID=… MERCHANT_PASSWORD=… ./first-token.sh
set -eu

url=${TESSERA_URL:-http://127.0.0.1:8080}
# The demo merchant of every test environment. Production rejects it.
merchant=${MERCHANT_ID:-65f0c0ffee0000000000cafe}
password=${MERCHANT_PASSWORD:-sandbox-only-password-not-for-live-0}
# A public test card, valid through 03/99, and the SMS code of every test card.
pan=8600069195406311
code=666666

main() {
  printf 'Tessera at %s, merchant %s\n' "$url" "$merchant"
  first_token 'spec profile: POST /api/<method>' /api/
  first_token 'subscribe profile: POST /api' /api
  printf '\nDone. The token replaces the card from now on; the card number stays in the vault.\n'
}

# first_token <title> <path>: the method is appended to a path that ends with a slash.
first_token() {
  path=$2
  printf '\n%s\n' "$1"

  # Called by the cardholder's browser or app, with the merchant id alone: the password must never be there.
  caller=browser
  call cards.create "{\"card\":{\"number\":\"$pan\",\"expire\":\"0399\"},\"save\":true}"
  token=$(member token)
  print_result cards.create "$(member number), token $(printf '%.12s…' "$token"), verify $(member verify)"

  call cards.get_verify_code "{\"token\":\"$token\"}"
  print_result cards.get_verify_code "a code goes to $(member phone)"

  call cards.verify "{\"token\":\"$token\",\"code\":\"$code\"}"
  print_result cards.verify "verify $(member verify)"

  # Called by the merchant's server with the password, before the token is used for a payment.
  caller=server
  call cards.check "{\"token\":\"$token\"}"
  print_result cards.check "verify $(member verify)"
  [ "$(member verify)" = true ] || stop 'The card is not verified.'
}

# call <method> <params>: puts the response into $response, or stops with what to do.
call() {
  case $path in */) to=$url$path$1 ;; *) to=$url$path ;; esac
  x_auth=$merchant
  [ "$caller" = browser ] || x_auth=$merchant:$password
  # The header is passed on standard input: every user of the machine can read a command line.
  response=$(printf 'header = "X-Auth: %s"\n' "$x_auth" | curl --config - --silent --show-error --max-time 20 \
    --header 'Content-Type: application/json' --data "{\"id\":\"1\",\"method\":\"$1\",\"params\":$2}" "$to") ||
    stop "No service responds at $url. Start it with npm start, or set its address: TESSERA_URL=http://host:port"
  case $response in
    *'"result":'*) ;;
    *'"error":'*) stop "$1 failed: $(member message) (code $(member code), reason $(member reason))" "$(advice)" ;;
    *) stop "$url responded with something other than JSON-RPC. Is this Tessera?" ;;
  esac
}

# member <name>: the first member with this name in $response; enough for responses this small.
member() {
  printf '%s' "$response" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

advice() {
  case $(member reason) in
    merchant_unknown) printf 'Set MERCHANT_ID to the id that was issued to you for this environment.' ;;
    access_denied) printf 'Set MERCHANT_PASSWORD to the password that was issued with this id.' ;;
    *) printf 'Every reason is described in docs/reference/errors.md' ;;
  esac
}

print_result() {
  printf '  %-22s %-8s %s\n' "$1" "$caller" "$2"
}

stop() {
  printf '%s\n' "$@" >&2
  exit 1
}

main
