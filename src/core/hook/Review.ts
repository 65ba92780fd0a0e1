// Review: what codex answered to a question for a verdict: the verdict, and what it says beside it.
import { isFields, textOf } from "../text/Fields.ts"
import { type HookVerdict, parseHookVerdict } from "./HookVerdict.ts"

/** A review that was read. */
export interface Review {
  readonly verdict: HookVerdict
  /** Its bullets. The line that is the verdict alone is not part of them. */
  readonly text: string
}

/** The form that a review is asked for in. Every property of a schema for codex is required. */
export const reviewSchema = {
  type: "object",
  properties: {
    verdict: { type: "string", enum: ["PASS", "FAIL"] },
    review: { type: "string", description: "The bullets; empty where there is nothing to report." }
  },
  required: ["verdict", "review"],
  additionalProperties: false
} as const

const verdictWords = "pass(?:ed)?|fail(?:ed)?|approved?|lgtm|ok|reject(?:ed)?|block(?:ed)?"
const alone = new RegExp(String.raw`^\W*(?:(?:verdict|result|status|decision)\W*)?(?:${verdictWords})\W*$`, "i")

/** The words of an answer of the asked form; null for every other. */
const wordsIn = (text: string): string | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? textOf(value["review"]) : null
  } catch {
    return null
  }
}

/** Reads a review. The verdict is read before anything is cut. */
export const reviewIn = (text: string): Review => {
  const verdict = parseHookVerdict(text)
  const words = wordsIn(text.trim())
  // A pass whose own words begin with the opposite is none.
  const both = verdict === "PASS" && words !== null && parseHookVerdict(words) === "FAIL"
  if (words !== null) return { verdict: both ? "UNCERTAIN" : verdict, text: words.trim() }
  const lines = text.trim().split("\n")
  return { verdict, text: (alone.test(lines[0] ?? "") ? lines.slice(1) : lines).join("\n").trim() }
}
