// ReviewersVariables: what the reviewers of a fleet get to know of their worker's variables: no secret of the fleet.
import { Redacted } from "effect"
import type { Variables } from "../services/Environment.ts"

// What a reviewer has no use for: the store and its server, and git's settings, which are the same on every machine.
// They go as a whole, because git works no more where one of them is missing.
const ofFleet = /^(OODA_.*|PG[A-Z]+|GIT_CONFIG_(COUNT|PARAMETERS|KEY_\d+|VALUE_\d+))$/

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The passwords in the URL of a database, as it is written there and as it is meant; none for any other text. */
const passwordsIn = (text: string): ReadonlyArray<string> => {
  if (!/^postgres(ql)?:/i.test(text) || !URL.canParse(text)) return []
  const { password, searchParams } = new URL(text)
  return [password, decoded(password), searchParams.get("password") ?? ""].filter((one) => one !== "")
}

/**
 * The variables of a worker that its reviewers get, without what holds a secret of its fleet, whatever it is called. A
 * password may be a usual word: only a variable that is no more than that, or a URL with it, holds the password.
 */
export const reviewersVariables = (variables: Variables, url: Redacted.Redacted): Variables => {
  const { OODA_FETCH_TOKEN, OODA_STORE, PGPASSWORD } = variables
  const texts = [Redacted.value(url), OODA_STORE ?? "", OODA_FETCH_TOKEN ?? ""].filter((text) => text !== "")
  const passwords = new Set([PGPASSWORD ?? "", ...texts.flatMap(passwordsIn)].filter((text) => text !== ""))
  const isSecret = (value: string): boolean =>
    passwords.has(value) || passwordsIn(value).some((one) => passwords.has(one)) ||
    texts.some((text) => value.includes(text))
  const shown = Object.entries(variables).filter(([name, value = ""]) => !ofFleet.test(name) && !isSecret(value))
  return { ...Object.fromEntries(shown), GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" }
}
