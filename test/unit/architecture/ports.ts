// ports: what keeps a port from being seen in traces, or its adapter from having types.
import type { Source } from "./Source.ts"

type Text = Pick<Source, "path" | "lines">

const service = /^export class (\w+) extends Context\.Service</
const method = /^ {2}readonly (\w+):/
// Here TypeScript takes the parameters of `Effect.fn` for `any`, and nothing says so.
const untyped = /Layer\.succeed\(\w+, \{$/

/** The methods of a service that are effects, as `Service.method`. */
const effects = ({ lines }: Text): ReadonlyArray<string> => {
  const text = lines.join("\n")
  const name = lines.flatMap((line) => service.exec(line)?.[1] ?? [])[0]
  return name === undefined ? [] : text.split(/\n(?= {2}readonly )/)
    .filter((member) => method.test(member) && member.split("\n}>")[0]?.includes("Effect.Effect<"))
    .map((member) => `${name}.${method.exec(member)?.[1] ?? ""}`)
}

/** The ports that no adapter has a span for, and the adapters that are not held to their port's types. */
export const portProblems = (services: ReadonlyArray<Text>, adapters: ReadonlyArray<Text>): ReadonlyArray<string> => {
  const told = adapters.flatMap(({ lines }) => lines).join("\n")
  return [
    ...services.flatMap((port) =>
      effects(port).filter((name) => !told.includes(`"${name}"`)).map((name) =>
        `${port.path}: no span is named ${name}`
      )
    ),
    ...adapters.flatMap(({ lines, path }) =>
      lines.flatMap((line, i) =>
        untyped.test(line) ? [`${path}: line ${i + 1} makes a service without its \`of\``] : []
      )
    )
  ]
}
