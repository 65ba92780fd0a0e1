// convention: what all JSON documents have in common, but the step's own, whose form is a contract with its callers, and
// an attestation, which has a published form.

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const others: ReadonlySet<string> = new Set(["step", "converge", "attest"])

// What is shown as it was written: an event, the fields of the manifest that it changed, the headers of an agent's message.
const asWritten: ReadonlySet<string> = new Set(["event", "before", "after", "fields"])

const isRunName = (value: Json): boolean => Object.keys(value).join() === "run,repo,target"

const offences = (value: unknown, path: string): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap((one, i) => offences(one, `${path}[${i}]`))
  if (!isJson(value)) return []
  return Object.entries(value).flatMap(([key, inner]): ReadonlyArray<string> => {
    const here = `${path}.${key}`
    if (asWritten.has(key)) return []
    const isNamed = key !== "run" || isRunName(value) || inner === null || isJson(inner) && isRunName(inner)
    return [
      ...(/^(?:_tag|[a-z][A-Za-z0-9]*)$/.test(key) ? [] : [`${here}: not in camelCase`]),
      ...(isNamed ? [] : [`${here}: not the object that names a run`]),
      ...offences(inner, here)
    ]
  })
}

/** Where a document does not follow the convention. */
export const unconventional = (name: string, text: string): ReadonlyArray<string> => {
  if (others.has(name)) return []
  const value: unknown = JSON.parse(text)
  // The manifest of `replay --at`, as orchestrators know it.
  if (isJson(value) && "run_id" in value) return []
  const version = isJson(value) && value["schema"] === 1 ? [] : [": without the version of its form"]
  return [...version, ...offences(value, "")]
}
