// ReviewBody: what kind of text a reviewer ended with, and the findings that stand in it.
// The one rule: a shape is told by structure alone; what prose means is not decided here.
import { parseJsonReview, type Structured } from "./JsonFindings.ts"
import { salvageJsonReview } from "./BrokenJson.ts"
import { fixedSentence } from "./Prose.ts"
import type { Written } from "../findings/Finding.ts"
import { parseRendered, type Rendered } from "./RenderedFindings.ts"

/**
 * The shapes of a body. `Json.around` is the prose outside the objects, and `ambiguous` says that parsers may differ on
 * them; `Broken` is JSON that does not parse, `Unknown` JSON that is no review.
 */
export type ReviewBody =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "FixedSentence" }
  | { readonly _tag: "Rendered"; readonly rendered: Rendered }
  | { readonly _tag: "Json"; readonly review: Structured; readonly around: string; readonly ambiguous: boolean }
  | { readonly _tag: "Broken"; readonly findings: ReadonlyArray<Written>; readonly listEmpty: boolean }
  | { readonly _tag: "Unknown"; readonly list: boolean }
  | { readonly _tag: "Prose"; readonly text: string }

/** Tells a body's shape. Total; linear in the body's length. */
export const parseBody = (body: string): ReviewBody => {
  if (body.trim() === "") return { _tag: "Empty" }
  const rendered = parseRendered(body)
  if (rendered !== null) return { _tag: "Rendered", rendered }
  if (fixedSentence(body.trim())) return { _tag: "FixedSentence" }
  const json = parseJsonReview(body)
  if (json !== null) return { _tag: "Json", ...json }
  const salvaged = salvageJsonReview(body)
  if (salvaged !== null) return { _tag: "Broken", ...salvaged }
  const [, opening] = /^\s*(?:```\w{0,20}\s+)?([{[])\s*["{[\]}]/.exec(body) ?? []
  return opening === undefined ? { _tag: "Prose", text: body } : { _tag: "Unknown", list: opening === "[" }
}
