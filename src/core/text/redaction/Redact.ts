// Redact: takes secrets out of a text before it leaves the machine or is stored. What stands around them stays.
import { withoutJoinedValues } from "./JoinedValues.ts"
import { withoutNamedValues } from "./NamedValues.ts"
import { withoutPrivateKeys } from "./PrivateKeys.ts"
import { withoutServiceTokens } from "./ServiceTokens.ts"
import { withoutCredentials } from "./Credentials.ts"

/**
 * The text with `[redacted]` in the place of each secret of a known form: tokens of services, private keys, passwords
 * in addresses, authorization headers, and values behind names such as `password` and `api_key`. What is redacted
 * stays as it is when it is redacted again.
 */
export const redact = (text: string): string =>
  // Values behind names go whole, so they go before what could be a part of one.
  withoutJoinedValues(withoutCredentials(withoutServiceTokens(withoutNamedValues(withoutPrivateKeys(text)))))
