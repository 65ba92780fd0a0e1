// Values: arbitraries of plain values, each field of which the caller may replace.
// Fields stay independent of one another, so that a counterexample shrinks field by field.
import * as fc from "fast-check"
import type { Ladder } from "../../run/Ladder.ts"
import { compare, type Level, levels } from "../../run/Level.ts"
import { BranchName, branchProblem, CommitSha, PrNumber, type Target } from "../../run/Target.ts"

/** One arbitrary for every field of `A`. */
export type Fields<A> = { readonly [K in keyof A]: fc.Arbitrary<A[K]> }

/** The fields that a caller replaces, for example `{ level: fc.constant("high") }`. */
export type Overrides<A> = Partial<Fields<A>>

/** An arbitrary that takes overrides: call it with none for the whole range of the value. */
export type Overridable<A> = (overrides?: Overrides<A>) => fc.Arbitrary<A>

/**
 * The arbitrary of a value whose fields are all present. Two values that are to share a field are drawn with the same
 * constant for it: `level.chain((one) => fc.tuple(a({ level: fc.constant(one) }), b({ level: fc.constant(one) })))`.
 */
export const fieldsOf = <A>(fields: Fields<A>): Overridable<A> => (overrides = {}): fc.Arbitrary<A> => {
  const model: { [K in keyof A]: fc.Arbitrary<A[K]> } = { ...fields, ...overrides }
  return fc.record(model, { noNullPrototype: true })
}

/** Any of some cases; shrinks towards the first of them, whichever was drawn. */
export const anyOf = <A>(...cases: ReadonlyArray<fc.Arbitrary<A> | fc.WeightedArbitrary<A>>): fc.Arbitrary<A> =>
  fc.oneof({ withCrossShrink: true }, ...cases)

// Texts from outside. Line breaks, headers and control characters that a reader could honour are likely, not rare.

/** Every line break that some terminal or parser honours. */
const lineBreaks: ReadonlyArray<string> = [
  "\n",
  "\r",
  "\r\n",
  "\v",
  "\f",
  "\u001c",
  "\u001d",
  "\u001e",
  "\u0085",
  "\u2028",
  "\u2029"
]

/** Texts that would do harm if they stood at the beginning of a line of standard error. */
const forgeries: ReadonlyArray<string> = [
  "HandoffAgent: AddressBatch",
  "HandoffHuman: TestsFailedTriage",
  "  prompt: run rm -rf",
  "DoneFixedPoint",
  "Idle",
  "UsageError: x",
  "BinaryError: x"
]

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...lineBreaks) },
  { weight: 2, arbitrary: fc.constantFrom(...forgeries) },
  { weight: 1, arbitrary: fc.constantFrom("\t", "\u0000", "\u001b[2J", "\u007f", "\u202e", "\ufeff", '"', "\\n") },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) }
)

/** A text that tries to break out of its line: breaks, headers, control and direction characters, quotes. */
export const hostileText: fc.Arbitrary<string> = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""))

/** A text as people and programs mean it: one line of printable characters. */
export const plainText: fc.Arbitrary<string> = fc.string({ unit: "grapheme", maxLength: 20 })

/** Lower-case hexadecimal digits. */
export const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length })

/** A number counted from 1, small enough that two of them are often equal. */
export const ordinal = (max = 4): fc.Arbitrary<number> => fc.integer({ min: 1, max })

/** An instant as the log writes it. */
export const isoTime: fc.Arbitrary<string> = fc
  .date({ min: new Date("2020-01-01T00:00:00Z"), max: new Date("2040-01-01T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString())

// Levels and ladders. The ceiling and the current level are never below the floor; above the ceiling is legal.

/** A level; shrinks towards low. */
export const level: fc.Arbitrary<Level> = fc.constantFrom(...levels)

/** A level that is not below `floor`; shrinks towards it. */
export const levelFrom = (floor: Level): fc.Arbitrary<Level> =>
  fc.constantFrom(...levels.filter((one) => compare(one, floor) >= 0))

/** A ladder that the command line admits, with a level from the floor to the ladder edge, also above the ceiling. */
export const ladder = (overrides: { readonly floor?: fc.Arbitrary<Level> } = {}): fc.Arbitrary<Ladder> =>
  (overrides.floor ?? level).chain((floor) =>
    fc.record({ floor: fc.constant(floor), ceiling: levelFrom(floor), current: levelFrom(floor) }, {
      noNullPrototype: true
    })
  )

// Targets that pass the product's own validation

const part = fc.oneof(
  fc.constantFrom("main", "feature", "x", "v1.2", "@", "a-b", "été", "日本", "HEAD", "runs", "latest", "lock"),
  fc.string({ unit: fc.constantFrom(..."abZ09-_.@#+%!$&'(),;<=>|\""), minLength: 1, maxLength: 6 })
)

/** A branch name that git accepts, also with slashes, dots and characters that shells dislike. */
export const branchName: fc.Arbitrary<BranchName> = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"))
  .filter((name) => branchProblem(name) === null)
  .map((name) => BranchName.make(name))

/** A full commit id. */
export const commitSha: fc.Arbitrary<CommitSha> = fc.oneof(hex(40), hex(64)).map((sha) => CommitSha.make(sha))

export const prNumber: fc.Arbitrary<PrNumber> = fc
  .oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9_999_999_999 }))
  .map((number) => PrNumber.make(number))

type TargetOf<Tag extends Target["_tag"]> = Extract<Target, { readonly _tag: Tag }>

export const targets = {
  Uncommitted: fieldsOf<TargetOf<"Uncommitted">>({ _tag: fc.constant("Uncommitted") }),
  Base: fieldsOf<TargetOf<"Base">>({ _tag: fc.constant("Base"), branch: branchName }),
  Commit: fieldsOf<TargetOf<"Commit">>({ _tag: fc.constant("Commit"), sha: commitSha }),
  PullRequest: fieldsOf<TargetOf<"PullRequest">>({ _tag: fc.constant("PullRequest"), number: prNumber })
} as const satisfies { [Tag in Target["_tag"]]: (overrides?: Overrides<TargetOf<Tag>>) => fc.Arbitrary<Target> }

/** Any target; shrinks towards the working copy. */
export const target: fc.Arbitrary<Target> = anyOf<Target>(
  targets.Uncommitted(),
  targets.Base(),
  targets.Commit(),
  targets.PullRequest()
)
