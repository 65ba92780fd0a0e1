// Document: a plan file with its text and its errors.
import { Result, Schema } from "effect"
import { exits } from "../../../platform/Failure.ts"
import { brief } from "../../../text/Untrusted.ts"
import { longest, normalOf, type PlacedPlan, placedPlan, tooLong } from "./Parse.ts"
import { type Fault, placeIn, problemAt } from "./Yaml.ts"

// The text of a file from its bytes, or the place where they are not UTF-8. A text keeps its bytes both ways.

// A file that may hold a plan has at most four bytes for each character. A larger one is not even decoded.
const mostBytes = 4 * longest

const decode = (bytes: Uint8Array, stream: boolean): Result.Result<string, unknown> =>
  Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream }))

/** The text up to the first byte that is not UTF-8. */
const soundStart = (bytes: Uint8Array): string => {
  let sound = 0
  let broken = bytes.length
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2)
    if (Result.isSuccess(decode(bytes.subarray(0, middle), true))) sound = middle
    else broken = middle
  }
  return Result.getOrElse(decode(bytes.subarray(0, sound), true), () => "")
}

/** Content that is not UTF-8. The fault's place is the end of the normal text `before` it. */
interface NoText {
  readonly before: string
  readonly fault: Fault
}

const noText = (start: string): NoText => {
  const before = normalOf(start)
  return { before, fault: { at: before.length, says: "this is not UTF-8", remedy: "save the file as UTF-8" } }
}

/** The text of a file, with its byte order mark. A text is taken as it is, if it can be written as a file. */
export const fileText = (file: Uint8Array | string): Result.Result<string, NoText> => {
  if (typeof file === "string") {
    const half = file.search(/\p{Surrogate}/u)
    return half < 0 ? Result.succeed(file) : Result.fail(noText(file.slice(0, half)))
  }
  if (file.length > mostBytes) return Result.fail({ before: "", fault: tooLong(0) })
  return Result.mapError(decode(file, false), () => noText(soundStart(file)))
}

// Why a plan file cannot be read, or not be edited as asked.

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const PlanReason = Schema.Union([
  /** The text at this place of the file is no part of a plan. Lines and columns count from 1. */
  Schema.TaggedStruct("Malformed", {
    line: Schema.Int,
    column: Schema.Int,
    says: Schema.String,
    remedy: Schema.String
  }),
  Schema.TaggedStruct("NoSuchTask", { index: Schema.Number, count: Count }),
  /** The plan is not done, because of these tasks. */
  Schema.TaggedStruct("StillPending", { tasks: Schema.Array(Count) }),
  /** Nothing could be written there that changes this alone. */
  Schema.TaggedStruct("NotWritable", { what: Schema.String })
])
export type PlanReason = typeof PlanReason.Type

/** A plan file that cannot be read, or not be edited as asked. Its message is one line and does not name the file. */
export class PlanError extends Schema.TaggedError<PlanError>()("PlanError", { reason: PlanReason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    const { reason } = this
    switch (reason._tag) {
      case "Malformed":
        return problemAt(reason, reason.says, reason.remedy)
      case "NoSuchTask":
        return reason.count === 0
          ? `the plan has no task ${reason.index} [it has no tasks]`
          : `the plan has no task ${reason.index} [name one from 0 to ${reason.count - 1}]`
      case "StillPending":
        return `the plan is not done: tasks are pending: ${brief(reason.tasks.join(", "), 200)} [mark them done first]`
      case "NotWritable":
        return `${brief(reason.what, 200)} cannot be written without a change to what is around it ` +
          "[write it by hand, or each key on a line of its own]"
    }
  }
}

// A plan file as it is, with the plan that is read from it and the places of its values.

export interface PlanDocument extends PlacedPlan {
  /** The file as it is, with its byte order mark and its own line ends. */
  readonly text: string
}

const malformed = (text: string, { at, remedy, says }: Fault): PlanError =>
  new PlanError({ reason: { _tag: "Malformed", ...placeIn(text, at), says, remedy } })

/**
 * Reads a plan file: Markdown with YAML between two lines `---` at its head, or plain YAML. Any file gives a document,
 * or an error that names the first fault in it.
 */
export const readPlan = (file: Uint8Array | string): Result.Result<PlanDocument, PlanError> => {
  const text = fileText(file)
  if (Result.isFailure(text)) return Result.fail(malformed(text.failure.before, text.failure.fault))
  const normal = normalOf(text.success)
  return Result.mapBoth(placedPlan(normal), {
    onSuccess: (placed) => ({ ...placed, text: text.success }),
    onFailure: (fault) => malformed(normal, fault)
  })
}
