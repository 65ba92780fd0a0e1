// ports: what keeps an adapter's work for a port from being seen in traces, or the adapter from having types.
// Each object that is made for a port is held by itself: the span of one adapter excuses no other one.
import { dirname, join, normalize } from "node:path"
import { parseAst } from "rolldown/parseAst"

/** A file by its path, as text. */
export interface Text {
  readonly path: string
  readonly lines: ReadonlyArray<string>
}

type Node = Readonly<Record<string, unknown>>

const service = /^export class (\w+) extends Context\.Service</
const method = /^ {2}readonly (\w+):/
// Here TypeScript takes the parameters of `Effect.fn` for `any`, and nothing says so.
const untyped = /Layer\.succeed\(\w+, \{$/

/** The methods of a service that are effects or streams; null for a file without a service. */
const portOf = ({ lines }: Text): { readonly name: string; readonly methods: ReadonlyArray<string> } | null => {
  const text = lines.join("\n")
  const name = lines.flatMap((line) => service.exec(line)?.[1] ?? [])[0]
  return name === undefined ? null : {
    name,
    methods: text.split(/\n(?= {2}readonly )/)
      .filter((member) => method.test(member) && /Effect\.Effect<|Stream\.Stream</.test(member.split("\n}>")[0] ?? ""))
      .map((member) => method.exec(member)?.[1] ?? "")
  }
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const child = (node: Node, key: string): Node => {
  const value = node[key]
  return isNode(value) ? value : {}
}
const children = (node: Node, key: string): ReadonlyArray<Node> => {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}
const nameOf = (node: Node): string => String(node["name"] ?? node["value"])

/** All nodes below and including one. */
const all = (node: Node): ReadonlyArray<Node> => [
  node,
  ...Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode).flatMap(all))
]

/** What a file declares by name, in whatever scope, and what it imports of other files. */
interface Module {
  readonly nodes: ReadonlyArray<Node>
  readonly declared: ReadonlyMap<string, ReadonlyArray<Node>>
  readonly imported: ReadonlyMap<string, { readonly path: string; readonly name: string }>
}

const moduleOf = ({ lines, path }: Text): Module => {
  const nodes = all({ ...parseAst(lines.join("\n"), { lang: "ts" }, path) })
  const declared = new Map<string, ReadonlyArray<Node>>()
  for (const node of nodes) {
    if (node["type"] !== "VariableDeclarator") continue
    const name = nameOf(child(node, "id"))
    declared.set(name, [...declared.get(name) ?? [], child(node, "init")])
  }
  const imported = new Map(
    nodes.filter(({ type }) => type === "ImportDeclaration").flatMap((node) =>
      children(node, "specifiers").map((one) =>
        [nameOf(child(one, "local")), {
          path: normalize(join(dirname(path), nameOf(child(node, "source")))),
          name: nameOf(child(one, "imported"))
        }] as const
      )
    )
  )
  return { nodes, declared, imported }
}

/** The object that a call makes for a port, as `Port.of({})` or `Layer.succeed(Port, {})` do; null for other calls. */
const madeBy = (call: Node): { readonly port: string; readonly object: Node } | null => {
  const callee = child(call, "callee")
  const [owner, called] = [nameOf(child(callee, "object")), nameOf(child(callee, "property"))]
  const [first = {}, second = {}] = children(call, "arguments")
  const made = (port: string, object: Node) => object["type"] === "ObjectExpression" ? { port, object } : null
  if (called === "of") return made(owner, first)
  return owner === "Layer" && /^(succeed|sync)$/.test(called)
    ? made(nameOf(first), second["type"] === "ArrowFunctionExpression" ? child(second, "body") : second)
    : null
}

/** Whether a span of this name is in a value, or in what the value names, here or in a file that this one imports. */
const spans = (modules: ReadonlyMap<string, Module>, path: string, value: Node, span: string): boolean => {
  const seen = new Set<string>()
  const look = (path: string, value: Node): boolean => {
    const nodes = all(value)
    if (nodes.some(({ type, value }) => type === "Literal" && value === span)) return true
    return nodes.filter(({ type }) => type === "Identifier").map(nameOf).some((name) => {
      if (seen.has(`${path} ${name}`)) return false
      seen.add(`${path} ${name}`)
      const from = modules.get(path)?.imported.get(name)
      const declared = from === undefined
        ? { path, values: modules.get(path)?.declared.get(name) }
        : { path: from.path, values: modules.get(from.path)?.declared.get(from.name) }
      return (declared.values ?? []).some((one) => look(declared.path, one))
    })
  }
  return look(path, value)
}

/** The methods of ports that have no span in an adapter, and the adapters that are not held to their port's types. */
export const portProblems = (services: ReadonlyArray<Text>, adapters: ReadonlyArray<Text>): ReadonlyArray<string> => {
  const ports = services.map(portOf).filter((port) => port !== null)
  const modules = new Map(adapters.map((one) => [normalize(one.path), moduleOf(one)]))
  const made = [...modules].flatMap(([path, { nodes }]) =>
    nodes.filter(({ type }) => type === "CallExpression").map(madeBy).filter((one) => one !== null)
      .map((one) => ({ path, ...one }))
  )
  return [
    ...ports.filter(({ methods, name }) => methods.length > 0 && !made.some(({ port }) => port === name))
      .map(({ name }) => `no adapter is seen to make ${name}`),
    ...made.flatMap(({ object, path, port }) => {
      const properties = children(object, "properties")
      // What is spread is another object for the port, which is held by itself.
      const spread = properties.some(({ type }) => type === "SpreadElement")
      return (ports.find(({ name }) => name === port)?.methods ?? []).filter((method) => {
        const own = properties.find((one) => nameOf(child(one, "key")) === method)
        return own === undefined ? !spread : !spans(modules, path, child(own, "value"), `${port}.${method}`)
      }).map((method) => `${path}: no span is named ${port}.${method}`)
    }),
    ...adapters.flatMap(({ lines, path }) =>
      lines.flatMap((line, i) =>
        untyped.test(line) ? [`${path}: line ${i + 1} makes a service without its \`of\``] : []
      )
    )
  ]
}
