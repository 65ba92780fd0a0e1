// Rewrite: a document with edits, read again to prove that they change what they should and nothing else.
import { Equal, Result } from "effect"
import type { Plan } from "../plan/Plan.ts"
import { setField, wordOf } from "./Field.ts"
import { type PlanDocument, readPlan } from "./PlanDocument.ts"
import { PlanError } from "./PlanError.ts"
import { edited, type TextEdit } from "./TextEdit.ts"

/** A change of a document: edits at places in its normal text, and the plan that they must give. */
export interface Change {
  readonly plan: Plan
  readonly edits: ReadonlyArray<TextEdit>
}

/** Edits of the YAML of a document as edits of its text. */
export const inText = ({ parts }: PlanDocument, edits: ReadonlyArray<TextEdit>): ReadonlyArray<TextEdit> =>
  edits.map(({ from, text, to }) => ({ from: from + parts.start, to: to + parts.start, text }))

/** The change with its time, which is written where the plan has a key `updatedAt`. */
const stamped = (document: PlanDocument, { edits, plan }: Change, now: number): Change => {
  const { parts, root } = document
  if (root._tag !== "Mapping" || !root.fields.has("updatedAt")) return { plan, edits }
  const updatedAt = new Date(now).toISOString()
  const stamp = setField(parts.yaml, root, "updatedAt", wordOf(updatedAt), null)
  return { plan: { ...plan, updatedAt }, edits: [...edits, ...inText(document, stamp)] }
}

/**
 * The document with a change that was made `now`, in milliseconds since 1970. An author may write YAML in ways that no
 * edit of ours foresees: unless the new file gives the expected plan, there is none, and the error says `what` it is
 * about.
 */
export const rewritten = (
  document: PlanDocument,
  change: Change,
  now: number,
  what: string
): Result.Result<PlanDocument, PlanError> => {
  const { edits, plan } = stamped(document, change, now)
  const read = readPlan(edited(document.text, edits))
  return Result.isSuccess(read) && Equal.equals(read.success.plan, plan)
    ? read
    : Result.fail(new PlanError({ reason: { _tag: "NotWritable", what } }))
}
