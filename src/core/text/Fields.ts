// Fields: reads the fields of a JSON object that a foreign program wrote; whatever is not as expected is missing.

/** A JSON object. */
export type Fields = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object, and no list. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A text; null for everything else. */
export const textOrNull = (value: unknown): string | null => typeof value === "string" ? value : null

/** A text; empty for everything else. */
export const textOf = (value: unknown): string => typeof value === "string" ? value : ""

/** A whole number that arithmetic can trust; null for everything else. */
export const wholeOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : null

/** A finite number; null for everything else. */
export const numberOrNull = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null

/** A list; empty for everything else. */
export const listOf = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The objects of a list. */
export const objectsOf = (value: unknown): ReadonlyArray<Fields> => listOf(value).filter(isFields)
