// LineProblem: why a line of a log cannot be used, and why one cannot be written, each as a tagged reason in words.
import { Schema } from "effect"
import type { Damage } from "./LineDamage.ts"

/** What only a newer version of this program can read: the format of a line, or an event it holds. */
export const Newer = Schema.Union([
  Schema.TaggedStruct("FormatVersion", { version: Schema.Number }),
  Schema.TaggedStruct("UnknownEvent", { line: Schema.Int, event: Schema.String })
])
export type Newer = typeof Newer.Type

/** What is too new, for people. */
export const newerText = (newer: Newer): string => {
  switch (newer._tag) {
    case "FormatVersion":
      return `format version ${newer.version}`
    case "UnknownEvent":
      return `line ${newer.line} holds an unknown event (${newer.event})`
  }
}

/** Why a line cannot be used. A `torn` one may be a hole left by power loss, if it is the last. */
export type LineProblem =
  | { readonly _tag: "Damaged"; readonly kind: Damage; readonly torn: boolean }
  | { readonly _tag: "TooNew"; readonly newer: Newer }

/** Why events cannot become the next line. */
export const LineRefusal = Schema.Union([
  Schema.TaggedStruct("NotOfSchema", { problem: Schema.String }),
  Schema.TaggedStruct("NotGenesis", { event: Schema.String }),
  Schema.TaggedStruct("LineTooLong", { bytes: Schema.Int, most: Schema.Int })
])
export type LineRefusal = typeof LineRefusal.Type

/** Why a line was refused, for people. */
export const lineRefusalText = (refusal: LineRefusal): string => {
  switch (refusal._tag) {
    case "NotOfSchema":
      return `an event does not fit its schema: ${refusal.problem}`
    case "NotGenesis":
      return `the first line of a log must hold its ${refusal.event}`
    case "LineTooLong":
      return `a line of ${refusal.bytes} bytes is larger than the ${refusal.most} a line may have`
  }
}
