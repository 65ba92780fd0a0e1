// Fields: a plain value's arbitrary made of one arbitrary a field, any of which the caller may replace.
// The one rule: fields stay independent of one another, so that a counterexample shrinks field by field.
import * as fc from "fast-check"

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
