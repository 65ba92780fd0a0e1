// AuditFinding: what an audit can find wrong with a run, and what it merely notes.
// The one rule: a run with a finding is not sound; a note takes nothing away from it.

/** The kinds of findings that the log of any kind can give. Tokens are never renamed. */
export type LogFindingKind = "damage" | "rewound" | "head" | "fact" | "torn" | "time"

/** The kinds of findings of a review run. Tokens are never renamed. */
export type FindingKind =
  | LogFindingKind
  | "run"
  | "transition"
  | "transcript"
  | "journal"
  | "verdict"
  | "unended"
  | "tree-changed"
  | "proof"
  | "driver"
  | "attestation"

/** One thing that is wrong, with the line of the log where it was found; 0 if it concerns the whole log. */
export interface Finding<Kind extends string = FindingKind> {
  readonly kind: Kind
  readonly line: number
  readonly text: string
}

/** One thing worth knowing. */
export interface Note {
  readonly line: number
  readonly text: string
}

/** A finding as it is handed on. */
export interface Found<Kind extends string = FindingKind> {
  readonly _tag: "Found"
  readonly finding: Finding<Kind>
}

/** A note as it is handed on. */
export interface Noted {
  readonly _tag: "Noted"
  readonly note: Note
}

/** Makes a finding. */
export const found = <Kind extends string>(kind: Kind, line: number, text: string): Found<Kind> => ({
  _tag: "Found",
  finding: { kind, line, text }
})

/** Makes a note. */
export const noted = (line: number, text: string): Noted => ({ _tag: "Noted", note: { line, text } })
