// Credentials: takes passwords and tokens out of addresses, of what is said to bear one, and of logins in a netrc file.
import { marker } from "./Marker.ts"
import { isReference, isSecretPlain } from "./SecretValue.ts"

// No repetition here reaches over a slash, and each needs one before it: one walk over the text.
const password = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{0,256}):([^\s/"'<>`\\]+)@/g
const bare = /(?<=:\/\/)([^\s/?#@:"'<>`\\]{20,256})@/g
const bearer = /\b(Bearer|Basic)( +)([A-Za-z0-9._~+/=-]{16,})/gi
const login = /\b(login\s{1,20}\S{1,100}\s{1,20}password\s{1,20})(\S{1,256})/g

/** The text without passwords in addresses, without bearer tokens, and without passwords behind logins. */
export const withoutCredentials = (text: string): string =>
  text
    .replace(password, (found, user: string, secret: string) =>
      isReference(secret) || secret === marker ? found : `${user}:${marker}@`)
    .replace(bare, (found, user: string) =>
      /\d/.test(user) && /^[\w.~%-]+$/.test(user) ? `${marker}@` : found)
    .replace(bearer, (found, kind: string, space: string, token: string) =>
      /\d/.test(token) || token.length >= 32 ? `${kind}${space}${marker}` : found)
    .replace(login, (found, before: string, secret: string) =>
      isSecretPlain(secret, "literal", "") ? `${before}${marker}` : found)
