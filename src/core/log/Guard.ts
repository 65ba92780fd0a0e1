// Guard: a quick test for values that a schema takes just as they are, made once from the schema itself.
// The one rule: it never says yes where the schema says no or would change the value; where it says no, ask the schema.
import type { Schema } from "effect"

type Ast = Schema.Top["ast"]
type Test = (value: unknown) => boolean

const never: Test = () => false

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The test for a kind of value, with the schema's own checks behind it. */
const checked = (ast: Ast, kind: Test): Test => {
  const checks = ast.checks ?? []
  const runs = checks.flatMap((check) => check._tag === "Filter" ? [check.run] : [])
  if (runs.length < checks.length) return never
  if (runs.length === 0) return kind
  return (value) => {
    if (!kind(value)) return false
    for (const run of runs) if (run(value, ast, {}) !== undefined) return false
    return true
  }
}

const literal = (ast: Ast): unknown => ast._tag === "Literal" ? ast.literal : undefined

/** The tag of a member of a tagged union. */
const tagOf = (ast: Ast): unknown =>
  ast._tag === "Objects"
    ? literal(ast.propertySignatures.find(({ name }) => name === "_tag")?.type ?? ast)
    : undefined

const union = (types: ReadonlyArray<Ast>): Test => {
  const literals = new Set(types.map(literal))
  if (!literals.has(undefined)) return (value) => literals.has(value)
  const tags = new Map(types.map((type) => [tagOf(type), test(type)]))
  if (tags.size === types.length && !tags.has(undefined)) {
    return (value) => isRecord(value) && (tags.get(value["_tag"]) ?? never)(value)
  }
  const tests = types.map(test)
  return (value) => tests.some((one) => one(value))
}

const struct = (ast: Extract<Ast, { readonly _tag: "Objects" }>): Test => {
  if (ast.indexSignatures.length > 0) return never
  const fields = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    test: test(type),
    optional: type.context?.isOptional === true
  }))
  return (value) => {
    if (!isRecord(value)) return false
    let known = 0
    for (const { name, optional, test } of fields) {
      if (!Object.hasOwn(value, name)) {
        if (!optional) return false
      } else if (test(value[name])) known++
      else return false
    }
    // A field that the schema does not know would be left out by it.
    return Object.keys(value).length === known
  }
}

const test = (ast: Ast): Test => {
  if (ast.encoding !== undefined) return never
  switch (ast._tag) {
    case "String":
      return checked(ast, (value) => typeof value === "string")
    case "Number":
      return checked(ast, (value) => typeof value === "number")
    case "Boolean":
      return checked(ast, (value) => typeof value === "boolean")
    case "Null":
      return checked(ast, (value) => value === null)
    case "Literal":
      return checked(ast, (value) => value === ast.literal)
    case "Union":
      return checked(ast, union(ast.types))
    case "Objects":
      return checked(ast, struct(ast))
    case "Arrays": {
      const [rest, ...more] = ast.rest.map(test)
      if (ast.elements.length > 0 || rest === undefined || more.length > 0) return never
      return checked(ast, (value) => {
        if (!Array.isArray(value)) return false
        for (const one of value) if (!rest(one)) return false
        return true
      })
    }
    default:
      return never
  }
}

/** Whether a value is of the schema's type and would be decoded to an equal one. May say no to some that are. */
export const guard = <S extends Schema.Top & { readonly DecodingServices: never }>(schema: S) => {
  const accepts = test(schema.ast)
  return (value: unknown): value is S["Type"] => accepts(value)
}
