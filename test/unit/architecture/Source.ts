// Source: what a source file says about itself: its imports, the globals it uses, the type checks it silences.
// The one rule: facts come from the parsed file; a word in a string or a comment is no import and no cast.
import { parseAst } from "rolldown/parseAst"

/** One module that a file names, however it names it. `names` holds `*` for a whole module. */
export interface Import {
  readonly from: string
  readonly names: ReadonlyArray<string>
  /** Whether the module is gone once types are erased. */
  readonly erased: boolean
  /** Whether it is loaded only when the line is reached. */
  readonly dynamic: boolean
}

/** What the checks look at. `unsafe` names each silenced type check, `globals` each use of one, as `Date.now`. */
export interface Source {
  readonly path: string
  readonly lines: ReadonlyArray<string>
  readonly imports: ReadonlyArray<Import>
  readonly globals: ReadonlyArray<string>
  readonly unsafe: ReadonlyArray<string>
  /** Each text that is put together from parts, as `${dir}/latest`, whether by a template, by `+` or by `join`. */
  readonly composed: ReadonlyArray<string>
}

type Node = Readonly<Record<string, unknown>>

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const child = (node: Node, key: string): Node => {
  const value = node[key]
  return isNode(value) ? value : {}
}
const children = (node: Node, key: string): ReadonlyArray<Node> => {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

const named = (specifier: Node): string => {
  const name = child(specifier, specifier["type"] === "ImportSpecifier" ? "imported" : "local")
  const simple = specifier["type"] === "ImportSpecifier" || specifier["type"] === "ExportSpecifier"
  return simple ? String(name["name"] ?? name["value"]) : "*"
}

// A module that is not a string literal could be any module, so it is named as one that no rule allows.
const moduleOf = (node: Node): string => String(child(node, "source")["value"] ?? "<computed>")

const declared = (node: Node): Import => {
  const specifiers = children(node, "specifiers")
  const typed = (one: Node) => one["importKind"] === "type" || one["exportKind"] === "type"
  return {
    from: moduleOf(node),
    names: node["type"] === "ExportAllDeclaration" ? ["*"] : specifiers.map(named),
    erased: typed(node) || (specifiers.length > 0 && specifiers.every(typed)),
    dynamic: false
  }
}

const importOf = (node: Node): Import | null => {
  switch (node["type"]) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
      return declared(node)
    case "ExportNamedDeclaration":
      return isNode(node["source"]) ? declared(node) : null
    case "ImportExpression":
      return { from: moduleOf(node), names: ["*"], erased: false, dynamic: true }
    case "TSImportType":
      return { from: moduleOf(node), names: ["*"], erased: true, dynamic: false }
    case "TSImportEqualsDeclaration":
      return {
        from: String(child(child(node, "moduleReference"), "expression")["value"]),
        names: ["*"],
        erased: false,
        dynamic: false
      }
    default:
      return null
  }
}

const unsafeOf = (node: Node): string | null => {
  switch (node["type"]) {
    case "TSAnyKeyword":
      return "any"
    case "TSNonNullExpression":
      return "a non-null !"
    case "TSTypeAssertion":
      return "a cast"
    case "TSAsExpression":
      return child(child(node, "typeAnnotation"), "typeName")["name"] === "const" ? null : "a cast"
    default:
      return node["definite"] === true ? "a definite !" : null
  }
}

const callee = (node: Node): string => String(child(node, "callee")["name"])

const globalOf = (node: Node, parent: Node): string | null => {
  if (node["type"] === "MetaProperty" && child(node, "meta")["name"] === "import") return "import.meta"
  // `new Date(ms)` is a function of its argument; `new Date()` and `Date()` ask the clock.
  if (callee(node) === "Date" && (node["type"] === "CallExpression" || children(node, "arguments").length === 0)) {
    return "Date()"
  }
  if (node["type"] !== "Identifier") return null
  const isProperty = parent["property"] === node && parent["computed"] !== true
  const isKey = parent["key"] === node && parent["computed"] !== true && parent["shorthand"] !== true
  if (isProperty || isKey) return null
  const owns = parent["type"] === "MemberExpression" && parent["object"] === node
  return owns ? `${node["name"]}.${child(parent, "property")["name"] ?? ""}` : String(node["name"])
}

const nameOf = (node: Node): string => {
  switch (node["type"]) {
    case "Identifier":
      return String(node["name"])
    case "MemberExpression":
      return String(child(node, "property")["name"])
    case "CallExpression":
      return nameOf(child(node, "callee"))
    default:
      return ""
  }
}

const partOf = (node: Node): string => {
  if (node["type"] === "Literal") return String(node["value"])
  return composedOf(node) ?? `\${${nameOf(node)}}`
}

const composedOf = (node: Node): string | null => {
  switch (node["type"]) {
    case "TemplateLiteral": {
      const parts = children(node, "expressions").map(partOf)
      const fixed = children(node, "quasis").map((quasi) => String(child(quasi, "value")["cooked"]))
      return parts.length === 0 ? null : fixed.map((text, i) => `${text}${parts[i] ?? ""}`).join("")
    }
    case "BinaryExpression":
      return node["operator"] === "+" ? partOf(child(node, "left")) + partOf(child(node, "right")) : null
    case "CallExpression":
      return /^(join|resolve|concat)$/.test(nameOf(node)) ? children(node, "arguments").map(partOf).join("/") : null
    default:
      return null
  }
}

/** Reads a source file. Throws on a file that does not parse. */
export const readSource = (path: string, text: string): Source => {
  const imports: Array<Import> = []
  const globals: Array<string> = []
  const unsafe: Array<string> = []
  const composed: Array<string> = []
  const visit = (node: Node, parent: Node): void => {
    const found = importOf(node)
    if (found !== null) imports.push(found)
    const global = globalOf(node, parent)
    if (global !== null) globals.push(global)
    const silenced = unsafeOf(node)
    if (silenced !== null) unsafe.push(silenced)
    const whole = composedOf(node)
    if (whole !== null) composed.push(whole)
    for (const value of Object.values(node)) {
      for (const inner of Array.isArray(value) ? value : [value]) if (isNode(inner)) visit(inner, node)
    }
  }
  visit({ ...parseAst(text, { lang: "ts" }, path) }, {})
  if (/@ts-(ignore|nocheck|expect-error)/.test(text)) unsafe.push("a silenced compiler")
  return { path, lines: text.replace(/\n$/, "").split("\n"), imports, globals, unsafe, composed }
}
