// KnownEdit: the answer to an edit that comes again, where the session's file alone gives it and stays as it is.
// Nothing of Effect is loaded with it, so whatever is not plain here is left to those who decode that file.
import { type Fields, isFields, listOf, objectsOf, textOf, wholeOrNull } from "../text/Json.ts"
import { answer, reviewSaid } from "./Answer.ts"
import { editedPath, editKey, type HookInput, shownPath } from "./Event.ts"
import type { HookFlags } from "./Flags.ts"
import { type Seen, seenVerdict } from "./Session.ts"

/** The texts and the whole numbers in each item of a list of a session. */
const lists = {
  fails: { texts: ["path", "change", "reason"], numbers: ["seq", "at"] },
  pending: { texts: ["path", "change"], numbers: ["seq", "at", "until"] },
  passed: { texts: ["path"], numbers: ["seq", "at"] },
  seen: { texts: ["key", "verdict", "reason"], numbers: ["at"] },
  dismissed: { texts: ["path", "change", "why"], numbers: ["at"] }
} as const

const isText = (value: unknown): boolean => typeof value === "string"
const isNatural = (value: unknown): boolean => (wholeOrNull(value) ?? -1) >= 0
const isList = (value: unknown, holds: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(holds)

/** Whether the schema of sessions would accept this value. A session that it refuses counts as new. */
const isSession = (state: Fields): boolean =>
  state["version"] === 1 && isNatural(state["seq"]) && isText(state["unasked"]) &&
  ["Nobody", "Claude", "User"].some((told) => told === state["told"]) &&
  (!("judged" in state) || isText(state["judged"])) &&
  isFields(state["turn"]) && isText(state["turn"]["id"]) && isList(state["turn"]["paths"], isText) &&
  Object.entries(lists).every(([name, { numbers, texts }]) =>
    isList(
      state[name],
      (one) =>
        isFields(one) && texts.every((field) => isText(one[field])) && numbers.every((field) => isNatural(one[field]))
    )
  ) &&
  objectsOf(state["seen"]).every(({ verdict }) => verdict === "PASS" || verdict === "FAIL")

const stateIn = (text: string): Fields => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) && isSession(value) ? value : {}
  } catch {
    return {}
  }
}

const seenIn = (state: Fields): ReadonlyArray<Seen> =>
  objectsOf(state["seen"]).flatMap((one) => {
    const [at, verdict] = [wholeOrNull(one["at"]), one["verdict"]]
    if (at === null || (verdict !== "PASS" && verdict !== "FAIL")) return []
    return [{ at, verdict, key: textOf(one["key"]), reason: textOf(one["reason"]) }]
  })

/** What is said to an edit whose verdict stands, which may be nothing; null for every other. `now` in milliseconds. */
export const knownEdit = (
  text: string,
  { flags, input }: { readonly input: HookInput; readonly flags: HookFlags },
  now: number
): string | null => {
  const [state, path] = [stateIn(text), editedPath(input)]
  const turn = isFields(state["turn"]) ? state["turn"] : {}
  // These checks are cheap, so they come before the edit is hashed.
  if (turn["id"] !== input.turn || !listOf(turn["paths"]).includes(path)) return null
  const key = editKey(input.tool, input.toolInput)
  const seen = seenVerdict({ seen: seenIn(state) }, key, now)
  if (seen === null) return null
  const ofPath = (name: string) => objectsOf(state[name]).filter((one) => one["path"] === path)
  // A review that is under way may end with another verdict on the same file, which this one then follows.
  if (ofPath("pending").length > 0) return null
  const open = ofPath("fails")
  if (seen.verdict === "PASS") return open.length === 0 ? "" : null
  if (!open.some((one) => one["change"] === key)) return null
  return answer(input.event, reviewSaid(seen.verdict, shownPath(input.cwd, path), seen.reason), flags.quiet)
}
