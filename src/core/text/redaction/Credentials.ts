// Credentials: takes passwords and tokens out of addresses, bearer headers, and logins of netrc and curl.
import { marker } from "./Marker.ts"
import { replaceRuns } from "./Runs.ts"
import { type Form, isReference, isSecretPlain } from "./SecretValue.ts"

// No repetition here reaches over a slash, and each needs one before it: one walk over the text.
const password = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{0,256}):([^\s/"'<>`\\]{1,1000})@/g
const bare = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{20,256})@/g
const bearer = /\b(?:Bearer|Basic) {1,20}[A-Za-z0-9._~+/=-]{16,1000}/gi
const login = /\b(login\s{1,20}\S{1,100}\s{1,20}password\s{1,20})(\S{1,256})/g

const option = /([ \t](?:-u|--user)[ =]["']?[^\s:"'@/]{1,64}:)([^\s"'`\\]{6,256})/g

const withoutToken = (found: string): string => {
  const token = found.slice(found.lastIndexOf(" ") + 1)
  return /\d/.test(token) || token.length >= 32 ? `${found.slice(0, -token.length)}${marker}` : found
}

const without = (form: Form) => (found: string, before: string, secret: string): string =>
  isSecretPlain(secret, form, "") ? `${before}${marker}` : found

/** The text without passwords in addresses and behind logins of netrc and curl, and without bearer tokens. */
export const withoutCredentials = (text: string): string => {
  const safe = text
    .replace(
      password,
      (found, user: string, secret: string) => isReference(secret) || secret === marker ? found : `${user}:${marker}@`
    )
    .replace(bare, (found, user: string) => /\d/.test(user) && /^[\w.~%-]+$/.test(user) ? `${marker}@` : found)
  return replaceRuns(safe, bearer, withoutToken)
    .replace(login, without("literal"))
    .replace(option, without("loose"))
}
