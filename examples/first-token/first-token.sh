#!/bin/sh
# From a card to a verified token, in four calls and in both spellings of the service. Needs a shell, curl and sed.
#
#   TESSERA_URL=http://127.0.0.1:8080 MERCHANT_ID=… MERCHANT_PASSWORD=… ./first-token.sh
set -eu

url=${TESSERA_URL:-http://127.0.0.1:8080}
# The demo merchant that every test environment has; production refuses it.
merchant=${MERCHANT_ID:-65f0c0ffee0000000000cafe}
password=${MERCHANT_PASSWORD:-sandbox-only-password-not-for-live-0}
# A public test card, good through 03/99, and the code that is right for every test card.
pan=8600069195406311
code=666666

main() {
  printf 'Tessera at %s, merchant %s\n' "$url" "$merchant"
  first_token 'spec profile: POST /api/<method>' /api/
  first_token 'subscribe profile: POST /api' /api
  printf '\nDone. The token stands for the card from now on; the card number stays in the vault.\n'
}

# first_token <title> <path>: where the path ends with a slash, the method is part of it.
first_token() {
  path=$2
  printf '\n%s\n' "$1"

  # What the cardholder's browser or app does: the merchant id is enough, and the password must not be there.
  caller=browser
  call cards.create "{\"card\":{\"number\":\"$pan\",\"expire\":\"0399\"},\"save\":true}"
  token=$(member token)
  tell cards.create "$(member number), token $(printf '%.12s…' "$token"), verify $(member verify)"

  call cards.get_verify_code "{\"token\":\"$token\"}"
  tell cards.get_verify_code "a code goes to $(member phone)"

  call cards.verify "{\"token\":\"$token\",\"code\":\"$code\"}"
  tell cards.verify "verify $(member verify)"

  # What the merchant's server does, with its password: ask before the token is used for a payment.
  caller=server
  call cards.check "{\"token\":\"$token\"}"
  tell cards.check "verify $(member verify)"
  [ "$(member verify)" = true ] || stop 'The card is not verified.'
}

# call <method> <params>: leaves the answer in $reply, or stops and says what to do.
call() {
  case $path in */) to=$url$path$1 ;; *) to=$url$path ;; esac
  x_auth=$merchant
  [ "$caller" = browser ] || x_auth=$merchant:$password
  # The header goes in by standard input: what stands on a command line, every user of the machine can read.
  reply=$(printf 'header = "X-Auth: %s"\n' "$x_auth" | curl --config - --silent --show-error --max-time 20 \
    --header 'Content-Type: application/json' --data "{\"id\":\"1\",\"method\":\"$1\",\"params\":$2}" "$to") ||
    stop "Nobody answers at $url. Start the service with npm start, or say where it is: TESSERA_URL=http://host:port"
  case $reply in
    *'"result":'*) ;;
    *'"error":'*) stop "$1 was refused: $(member message) (code $(member code), reason $(member reason))" "$(advice)" ;;
    *) stop "$url answered something that is no JSON-RPC: is this Tessera?" ;;
  esac
}

# member <name>: the first member of that name in $reply; enough for answers this small.
member() {
  printf '%s' "$reply" | sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

advice() {
  case $(member reason) in
    merchant_unknown) printf 'Set MERCHANT_ID to the id that you were issued for this environment.' ;;
    access_denied) printf 'Set MERCHANT_PASSWORD to the password that you were issued with that id.' ;;
    *) printf 'What to do about each reason: docs/reference/errors.md' ;;
  esac
}

tell() {
  printf '  %-22s %-8s %s\n' "$1" "$caller" "$2"
}

stop() {
  printf '%s\n' "$@" >&2
  exit 1
}

main
