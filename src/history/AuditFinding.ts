// AuditFinding: what an audit can find wrong with a run, and what it merely notes.
// The one rule: a run with a finding is not sound; a note takes nothing away from it.

/** The kinds of findings. Tokens are never renamed. */
export type FindingKind =
  | "damage"
  | "rewound"
  | "head"
  | "run"
  | "transition"
  | "fact"
  | "transcript"
  | "torn"
  | "verdict"
  | "unended"
  | "tree-changed"

/** One thing that is wrong, with the line of the log it was found at. */
export interface Finding {
  readonly kind: FindingKind
  readonly line: number
  readonly text: string
}

/** One thing worth knowing. */
export interface Note {
  readonly line: number
  readonly text: string
}
